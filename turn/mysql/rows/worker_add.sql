-- Makes the row of a worker number with its first grant; fails with a duplicate key if it exists.
-- The answer has the time as the last insert id.
-- A number outside the range of its namespace gets one when it is set aside; searches by rest skip it.
INSERT INTO workers (namespace, worker, owner, sticky, `key`, held_from, reserved_until, granted_ms,
    inside)
VALUES (:namespace, :worker, :owner, :sticky, :key, :held_from, :reserved_until,
    :granted_ms + 0 * LAST_INSERT_ID(CAST(FLOOR(UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS SIGNED)),
    COALESCE((
        SELECT :worker >= workers_start AND :worker < workers_end
        FROM namespaces
        WHERE namespace = :namespace
    ), TRUE));
