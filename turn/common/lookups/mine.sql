-- Finds the row that this request was granted before, if its answer was lost.
SELECT worker, owner, sticky, {key}, held_from, reserved_until, granted_ms
FROM {workers}{indexed workers_mine}
WHERE namespace = :namespace AND {key} = :key
LIMIT 1;
