-- From version 4 to 5: the store says when it was fenced last.
ALTER TABLE meta ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN fenced_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN fenced_on TEXT NOT NULL DEFAULT '';
