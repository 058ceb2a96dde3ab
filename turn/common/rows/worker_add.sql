-- Makes the row of a worker number with its first grant; makes none if it exists.
-- A number outside the range of its namespace gets one when it is set aside; searches by rest skip it.
INSERT INTO {workers} (namespace, worker, owner, sticky, {key}, held_from, reserved_until, granted_ms,
    inside)
VALUES (:namespace, :worker, :owner, :sticky, :key, :held_from, :reserved_until,
    :granted_ms{keeps_now},
    COALESCE((
        SELECT :worker >= workers_start AND :worker < workers_end
        FROM {namespaces}
        WHERE namespace = :namespace
    ), {true}))
{if_new}
{tells_now};
