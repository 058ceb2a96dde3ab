-- Writes the version of the tables.
INSERT INTO schema_version (one, version)
VALUES (1, :version);
