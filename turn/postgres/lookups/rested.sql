-- Of the numbers that nobody keeps, those that rested longest; if none is free, the first of these is
-- the first that will be.
SELECT worker, owner, sticky, key, held_from, reserved_until, granted_ms
FROM workers
WHERE namespace = :namespace AND sticky = FALSE AND inside = TRUE
ORDER BY reserved_until, worker
LIMIT :count;
