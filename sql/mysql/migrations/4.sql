-- From version 3 to 4: a tag keeps what a holder has shown of it. Here this is a transaction by
-- itself; the version follows.
ALTER TABLE tags ADD COLUMN claimed_until BIGINT;
UPDATE meta SET version = 4;
