-- The numbers that this owner keeps: two after a race over two servers, one at most otherwise. Those
-- that may be handed out come first: of the others the acquire frees one at a time.
SELECT worker, owner, sticky, key, held_from, reserved_until, granted_ms
FROM workers INDEXED BY workers_own
WHERE namespace = :namespace AND owner = :owner AND sticky = 1
ORDER BY inside DESC, worker DESC
LIMIT 2;
