-- Finds the lowest number from :from on that was never granted, inside the range or not. It starts at
-- `namespaces.used_until`, which is usually the answer, so it reads one row, and more only once after the
-- range of a namespace changed.
SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM workers WHERE namespace = :namespace AND worker = :from)
    THEN :from
    ELSE (
        SELECT worker + 1
        FROM workers AS used
        WHERE namespace = :namespace AND worker >= :from
            AND NOT EXISTS (
                SELECT 1 FROM workers WHERE namespace = :namespace AND worker = used.worker + 1
            )
        ORDER BY worker
        LIMIT 1
    )
END AS unused;
