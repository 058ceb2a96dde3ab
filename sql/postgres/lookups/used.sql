-- Numbers from :from on that were handed out: the lowest that never was is the first that is missing
-- here. `namespaces.used_until` says where to begin, so this finds few; more only after the range of
-- a namespace changed, once.
SELECT worker
FROM workers
WHERE namespace = :namespace AND worker >= :from
ORDER BY worker
LIMIT :count;
