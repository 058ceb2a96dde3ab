-- Changes a server's record; changes no row if it has changed since it was read.
UPDATE {servers}
SET beat = :beat, record = :record
WHERE server = :server AND beat = :was_beat
{tells_now};
