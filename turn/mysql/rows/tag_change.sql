-- Changes a tag; changes no row if it has changed since it was read.
-- The answer has the time as the last insert id.
UPDATE tags
SET max_id = :max_id + 0 * LAST_INSERT_ID(CAST(FLOOR(UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS SIGNED)),
    step = :step, max_step = :max_step, deleted = :deleted, `until` = :until, claimed_until = :claimed_until
WHERE tag = :tag AND max_id = :was_max_id AND step = :was_step AND max_step = :was_max_step
    AND deleted = :was_deleted AND `until` <=> :was_until
    AND claimed_until <=> :was_claimed_until;
