-- Finds the numbers from :from on that were granted before: the gaps between them are unused, so that one
-- read finds many. It starts at `namespaces.used_until`, so there are few rows, except once after the range
-- of a namespace changed.
SELECT worker
FROM {workers}
WHERE namespace = :namespace AND worker >= :from
ORDER BY worker
LIMIT 1000;
