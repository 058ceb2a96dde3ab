-- Adds a server's record; adds none if it exists.
INSERT INTO {servers} (server, beat, record)
VALUES (:server, :beat, :record)
{if_new}
{tells_now};
