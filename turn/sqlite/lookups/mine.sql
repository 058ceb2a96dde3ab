-- The row of this very request, if it was granted before and the answer got lost.
SELECT worker, owner, sticky, key, held_from, reserved_until, granted_ms
FROM workers INDEXED BY workers_mine
WHERE namespace = :namespace AND key = :key
LIMIT 1;
