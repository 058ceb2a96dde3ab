-- Writes only the time, which shows that a grant could be written, and which the next start reads.
UPDATE meta SET beat_ms = :now
RETURNING floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
