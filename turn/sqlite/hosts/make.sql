-- The store itself, with an id that nobody chose.
INSERT INTO meta (one, store, created_ms)
VALUES (1, randomblob(16), CAST(unixepoch('subsec') * 1000 AS INTEGER));
