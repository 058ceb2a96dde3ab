-- From version 3 to 4: the store counts its writings.
ALTER TABLE meta ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
