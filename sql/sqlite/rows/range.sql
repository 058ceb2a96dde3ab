-- Notes which numbers the range of a namespace has, after it changed.
UPDATE workers
SET inside = (worker >= :start AND worker < :end)
WHERE namespace = :namespace AND inside <> (worker >= :start AND worker < :end);
