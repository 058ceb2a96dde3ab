-- The end of a text that changes the row of a worker number, unless that has changed since it was read.
WHERE namespace = :namespace AND worker = :worker AND owner = :was_owner AND sticky = :was_sticky
    AND key IS NOT DISTINCT FROM :was_key AND held_from = :was_held_from
    AND reserved_until = :was_reserved_until AND granted_ms = :was_granted_ms
RETURNING floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
