-- Writes the row of the store itself, last: without it the store is incomplete.
INSERT INTO {meta} (one, version, store, created_ms, floor_ms)
VALUES (1, :version, :store, :created_ms, :floor_ms)
{tells_now};
