-- The lowest number from :from on that was never handed out, whether the namespace's range has it or
-- not. `namespaces.used_until` holds the answer, so this reads one row; more only after the range of a
-- namespace changed, once.
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
