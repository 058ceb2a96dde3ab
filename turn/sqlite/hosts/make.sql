-- Writes the row of the store itself, with a random id.
INSERT INTO meta (one, store, created_ms)
VALUES (1, randomblob(16), CAST(unixepoch('subsec') * 1000 AS INTEGER));
