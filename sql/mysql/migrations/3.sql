-- From version 2 to 3: tags may be made on first use, by patterns. Here this is a transaction by
-- itself; the version follows.
ALTER TABLE meta ADD COLUMN patterns VARCHAR(16000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';
UPDATE meta SET version = 3;
