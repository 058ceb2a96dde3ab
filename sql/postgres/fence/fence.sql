-- Notes a fence, or patterns; no row is changed if others were noted since this was read.
UPDATE meta
SET generation = :generation, fenced_ms = :fenced_ms, floor_ms = :floor_ms, fenced_on = :fenced_on,
    patterns = :patterns
WHERE generation = :was_generation AND patterns = :was_patterns
RETURNING floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
