-- The version of the tables, in a table of its own where `user_version` cannot be written (D1, a Durable
-- Object).
CREATE TABLE schema_version (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL
) STRICT;
