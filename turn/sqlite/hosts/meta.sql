-- Reads the id and the times of the store, with every ask of a host.
SELECT store, floor_ms, beat_ms
FROM meta;
