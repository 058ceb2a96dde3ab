-- Numbers from :from on that were handed out: the lowest that never was is the first that is missing
-- here, so that one reading finds many. `namespaces.used_until` says where to begin, so there are few;
-- more only after the range of a namespace changed, once.
SELECT worker
FROM workers
WHERE namespace = :namespace AND worker >= :from
ORDER BY worker
LIMIT 1000;
