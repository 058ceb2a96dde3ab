-- From version 2 to 3: tags may be made on first use, by patterns.
ALTER TABLE leafid.meta ADD COLUMN patterns TEXT NOT NULL DEFAULT '';
UPDATE leafid.meta SET version = 3;
