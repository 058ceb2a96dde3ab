-- The store itself. Its row comes last: without it the store is not made.
INSERT INTO meta (one, version, store, created_ms, floor_ms)
VALUES (1, :version, :store, :created_ms, :floor_ms);
