-- Finds the numbers that this owner keeps: two after a race of two servers, else at most one. Those inside
-- the range come first; an acquire frees the others one at a time.
SELECT worker, owner, sticky, {key}, held_from, reserved_until, granted_ms
FROM {workers}{indexed workers_own}
WHERE namespace = :namespace AND owner = :owner AND sticky = {true}
ORDER BY inside DESC, worker DESC
LIMIT 2;
