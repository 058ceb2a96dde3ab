-- Changes the row of a worker number; changes none if it has changed since it was read.
UPDATE {workers}
SET owner = :owner, sticky = :sticky, {key} = :key, held_from = :held_from,
    reserved_until = :reserved_until, granted_ms = :granted_ms{keeps_now}
WHERE namespace = :namespace AND worker = :worker AND owner = :was_owner AND sticky = :was_sticky
    AND {key} {same} :was_key AND held_from = :was_held_from AND reserved_until = :was_reserved_until
    AND granted_ms = :was_granted_ms
{tells_now};
