-- Writes only the time, which shows that a grant could be written, and which the next start reads.
UPDATE {meta} SET beat_ms = :now
{tells_now};
