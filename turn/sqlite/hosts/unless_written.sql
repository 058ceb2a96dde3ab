-- Rolls back a batch if the statement before this one found its row changed: inserting a second row into
-- `meta` fails. There is no other way out of a batch.
INSERT INTO meta (one, store, created_ms)
SELECT one, store, created_ms
FROM meta
WHERE changes() = 0;
