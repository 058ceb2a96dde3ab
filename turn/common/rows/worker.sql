-- Reads the row of a worker number, if it was ever granted.
SELECT worker, owner, sticky, {key}, held_from, reserved_until, granted_ms
FROM {workers}
WHERE namespace = :namespace AND worker = :worker;
