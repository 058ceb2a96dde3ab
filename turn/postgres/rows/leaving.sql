-- Of the numbers that the range of a namespace has and its next range has not, the one that is
-- reserved longest. It reads the namespace, and is asked only when a range changes.
SELECT worker, owner, sticky, key, held_from, reserved_until, granted_ms
FROM workers
WHERE namespace = :namespace
    AND worker >= :before_start AND worker < :before_end
    AND NOT (worker >= :after_start AND worker < :after_end)
ORDER BY reserved_until DESC
LIMIT 1;
