-- The kept numbers whose owners were not seen for longest: the first of them is the first that its
-- owner keeps no longer.
SELECT worker, owner, sticky, key, held_from, reserved_until, granted_ms
FROM workers
WHERE namespace = :namespace AND sticky = TRUE AND inside = TRUE
ORDER BY granted_ms, worker
LIMIT :count;
