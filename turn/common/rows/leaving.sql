-- Finds the number that is reserved longest of those that leave the range of a namespace. Reads the whole
-- namespace, but only when a range changes.
SELECT worker, owner, sticky, {key}, held_from, reserved_until, granted_ms
FROM {workers}
WHERE namespace = :namespace
    AND worker >= :before_start AND worker < :before_end
    AND NOT (worker >= :after_start AND worker < :after_end)
ORDER BY reserved_until DESC
LIMIT 1;
