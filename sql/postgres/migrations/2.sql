-- From version 1 to 2: the store says when it was fenced last.
ALTER TABLE leafid.meta
    ADD COLUMN generation BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN fenced_ms BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN fenced_on TEXT NOT NULL DEFAULT '';
UPDATE leafid.meta SET version = 2;
