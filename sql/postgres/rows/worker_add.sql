-- Makes the row of a number that is handed out for the first time; no row is made if somebody else has.
INSERT INTO workers (namespace, worker, owner, sticky, key, held_from, reserved_until, granted_ms)
VALUES (:namespace, :worker, :owner, :sticky, :key, :held_from, :reserved_until,
    :granted_ms)
ON CONFLICT DO NOTHING
RETURNING floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
