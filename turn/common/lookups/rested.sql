-- Finds the numbers that are kept for no owner, with the earliest end of their windows first: if none is
-- free, the first of them is the next.
SELECT worker, owner, sticky, {key}, held_from, reserved_until, granted_ms
FROM {workers}{indexed workers_rested}
WHERE namespace = :namespace AND sticky = {false} AND inside = {true}
ORDER BY reserved_until, worker
LIMIT :count;
