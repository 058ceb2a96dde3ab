-- Undoes a batch whose statement before this one found no row as it was read: `meta` has its only row,
-- so a second one fails. A batch cannot be left otherwise.
INSERT INTO meta (one, store, created_ms)
SELECT one, store, created_ms
FROM meta
WHERE changes() = 0;
