-- Finds the kept numbers with the earliest last grants: the first of them is the first that its owner will
-- no longer keep.
SELECT worker, owner, sticky, {key}, held_from, reserved_until, granted_ms
FROM {workers}{indexed workers_kept}
WHERE namespace = :namespace AND sticky = {true} AND inside = {true}
ORDER BY granted_ms, worker
LIMIT :count;
