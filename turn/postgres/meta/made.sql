-- Finds which of the tables exist, even without the right to read them; the column `version` tells ours
-- from another program's.
SELECT tables.relname::text, count(columns.attname)
FROM pg_class AS tables
JOIN pg_namespace AS schemas ON schemas.oid = tables.relnamespace
LEFT JOIN pg_attribute AS columns
    ON columns.attrelid = tables.oid AND columns.attname = 'version'
WHERE schemas.nspname = 'leafid'
    AND tables.relname IN ('meta', 'tags', 'namespaces', 'workers', 'servers')
GROUP BY tables.relname;
