-- Notes the time of a transaction and counts it, at the end of each one that writes. Alone in a transaction
-- it shows that a grant could be written.
UPDATE meta
SET beat_ms = :now, position = position + 1;
