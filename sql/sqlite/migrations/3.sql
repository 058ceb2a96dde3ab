-- From version 2 to 3: a tag may have an upper end.
ALTER TABLE tags ADD COLUMN until INTEGER;
