-- Reads the last fence.
SELECT generation, fenced_ms, floor_ms
FROM {meta};
