-- The row of a number, if it was ever handed out.
SELECT worker, owner, sticky, `key`, held_from, reserved_until, granted_ms
FROM workers
WHERE namespace = :namespace AND worker = :worker;
