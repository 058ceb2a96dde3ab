-- What a host reads with every ask: whose store it is, and when it was written last.
SELECT store, floor_ms, beat_ms
FROM meta;
