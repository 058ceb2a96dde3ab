-- From version 3 to 4: a tag keeps what a holder has shown of it.
ALTER TABLE leafid.tags ADD COLUMN claimed_until BIGINT;
UPDATE leafid.meta SET version = 4;
