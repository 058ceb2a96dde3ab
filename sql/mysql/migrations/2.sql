-- From version 1 to 2: the store says when it was fenced last. Here this is a transaction by itself;
-- the version follows.
ALTER TABLE meta
    ADD COLUMN generation BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN fenced_ms BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN fenced_on VARCHAR(255) NOT NULL DEFAULT '';
UPDATE meta SET version = 2;
