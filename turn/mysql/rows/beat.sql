-- Writes the time for its own sake: whether a grant could be written shows, and the next start knows
-- it.
UPDATE meta SET beat_ms = :now;
