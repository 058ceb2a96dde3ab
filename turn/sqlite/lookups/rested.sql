-- Of the numbers that nobody keeps, those that rested longest; if none is free, the first of these is
-- the first that will be.
SELECT worker, owner, sticky, key, held_from, reserved_until, granted_ms
FROM workers INDEXED BY workers_rested
WHERE namespace = :namespace AND sticky = 0 AND inside = 1
ORDER BY reserved_until, worker
LIMIT :count;
