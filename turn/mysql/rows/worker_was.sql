-- The end of a text that changes the row of a worker number, unless that has changed since it was read.
-- The answer has the time as the last insert id.
WHERE namespace = :namespace AND worker = :worker AND owner = :was_owner AND sticky = :was_sticky
    AND `key` <=> :was_key AND held_from = :was_held_from
    AND reserved_until = :was_reserved_until AND granted_ms = :was_granted_ms
    AND LAST_INSERT_ID(CAST(FLOOR(UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS SIGNED)) > 0;
