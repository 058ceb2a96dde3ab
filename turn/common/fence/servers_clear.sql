-- Removes all servers: a copy that becomes a store of its own has none of the original's.
DELETE FROM {servers}
{tells_now};
