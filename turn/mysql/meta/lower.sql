-- No grant is later than now: the clock was wrong, and is right again. How far each number is
-- reserved stays.
UPDATE workers SET granted_ms = :now WHERE granted_ms > :now;
