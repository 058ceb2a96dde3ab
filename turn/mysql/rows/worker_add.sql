-- Makes the row of a number that is handed out for the first time; a duplicate key if somebody else has.
-- The answer carries the time as the last inserted id.
-- A number outside the namespace's range gets one when it is set aside: searches by rest pass it by.
INSERT INTO workers (namespace, worker, owner, sticky, `key`, held_from, reserved_until, granted_ms,
    inside)
VALUES (:namespace, :worker, :owner, :sticky, :key, :held_from, :reserved_until,
    :granted_ms + 0 * LAST_INSERT_ID(CAST(FLOOR(UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS SIGNED)),
    COALESCE((
        SELECT :worker >= workers_start AND :worker < workers_end
        FROM namespaces
        WHERE namespace = :namespace
    ), TRUE));
