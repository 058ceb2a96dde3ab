-- Reads the version of the tables.
SELECT version
FROM schema_version;
