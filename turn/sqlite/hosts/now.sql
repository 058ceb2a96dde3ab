-- Reads the time, in ms since 1970, for hosts that use the database's clock.
SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now;
