-- Lists the numbers of a namespace that were ever granted.
SELECT worker, owner, sticky, {key}, held_from, reserved_until, granted_ms
FROM {workers}
WHERE namespace = :namespace AND worker > :after
ORDER BY worker
LIMIT :limit;
