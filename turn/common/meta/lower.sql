-- Lowers the times of grants to now, after a clock that was ahead was put right. The ends of reserved
-- windows stay.
UPDATE {workers} SET granted_ms = :now WHERE granted_ms > :now
{tells_now};
