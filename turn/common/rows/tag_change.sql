-- Changes a tag; changes no row if it has changed since it was read.
UPDATE {tags}
SET max_id = :max_id{keeps_now}, step = :step, max_step = :max_step, deleted = :deleted, {until} = :until,
    claimed_until = :claimed_until
WHERE tag = :tag AND max_id = :was_max_id AND step = :was_step AND max_step = :was_max_step
    AND deleted = :was_deleted AND {until} {same} :was_until
    AND claimed_until {same} :was_claimed_until
{tells_now};
