-- Removes a server; removes no row if its record has changed since it was read.
DELETE FROM {servers}
WHERE server = :server AND beat = :was_beat
{tells_now};
