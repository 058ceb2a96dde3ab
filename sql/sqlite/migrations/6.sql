-- From version 5 to 6: tags may be made on first use, by patterns.
ALTER TABLE meta ADD COLUMN patterns TEXT NOT NULL DEFAULT '';
