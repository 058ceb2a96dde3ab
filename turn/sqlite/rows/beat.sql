-- Ends each transaction that wrote something: notes when that was, and counts it. With nothing else
-- in its transaction it shows that a grant could be written.
UPDATE meta
SET beat_ms = :now, position = position + 1;
