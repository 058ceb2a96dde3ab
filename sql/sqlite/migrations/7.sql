-- From version 6 to 7: a tag keeps what a holder has shown of it.
ALTER TABLE tags ADD COLUMN claimed_until INTEGER;
