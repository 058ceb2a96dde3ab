-- Reads the row of the store itself; there is none if the store is incomplete.
SELECT version, store, floor_ms, beat_ms
FROM {meta};
