-- The time, in ms since 1970, where the database's clock counts and not the host's.
SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now;
