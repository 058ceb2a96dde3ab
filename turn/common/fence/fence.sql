-- Notes a fence; changes no row if another was noted since this was read.
UPDATE {meta}
SET generation = :generation, fenced_ms = :fenced_ms, floor_ms = :floor_ms
WHERE generation = :was_generation
{tells_now};
