-- Finds the numbers that rested longest of those that nobody keeps; if none is free, the first of them is
-- the next that will be.
SELECT worker, owner, sticky, key, held_from, reserved_until, granted_ms
FROM workers
WHERE namespace = :namespace AND sticky = FALSE AND inside = TRUE
ORDER BY reserved_until, worker
LIMIT :count;
