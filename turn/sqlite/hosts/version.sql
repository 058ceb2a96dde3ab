-- Where `user_version` cannot be written (D1, a Durable Object), the version of the tables stands in
-- one of its own.
CREATE TABLE schema_version (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL
) STRICT;
