-- What the store says of itself; no row where its making was not finished.
SELECT version, store, floor_ms, beat_ms
FROM meta;
