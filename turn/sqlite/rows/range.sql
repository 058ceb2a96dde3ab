-- Notes which numbers the range of a namespace has, after it changed. A number that leaves it may be
-- used by others until it comes back, so no lease on it outlasts that, and nobody keeps it; one that
-- comes back is free of what a program that did not clear it left there.
UPDATE workers
SET inside = (worker >= :start AND worker < :end), owner = '', sticky = 0, key = NULL
WHERE namespace = :namespace AND inside <> (worker >= :start AND worker < :end);
