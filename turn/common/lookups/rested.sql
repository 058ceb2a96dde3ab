-- Finds the numbers that rested longest of those that nobody keeps; if none is free, the first of them is
-- the next that will be.
SELECT worker, owner, sticky, {key}, held_from, reserved_until, granted_ms
FROM {workers}{indexed workers_rested}
WHERE namespace = :namespace AND sticky = {false} AND inside = {true}
ORDER BY reserved_until, worker
LIMIT :count;
