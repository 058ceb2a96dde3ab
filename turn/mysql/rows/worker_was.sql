-- The end of a text that changes the row of a number: no row is changed if it is not as it was read.
-- The answer carries the time as the last inserted id.
WHERE namespace = :namespace AND worker = :worker AND owner = :was_owner AND sticky = :was_sticky
    AND `key` <=> :was_key AND held_from = :was_held_from
    AND reserved_until = :was_reserved_until AND granted_ms = :was_granted_ms
    AND LAST_INSERT_ID(CAST(FLOOR(UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS SIGNED)) > 0;
