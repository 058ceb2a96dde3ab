-- Which of the tables are there, whoever may read them: `version` is a column of no other program's
-- table of that name.
SELECT tables.relname::text, count(columns.attname)
FROM pg_class AS tables
JOIN pg_namespace AS schemas ON schemas.oid = tables.relnamespace
LEFT JOIN pg_attribute AS columns
    ON columns.attrelid = tables.oid AND columns.attname = 'version'
WHERE schemas.nspname = 'leafid'
    AND tables.relname IN ('meta', 'tags', 'namespaces', 'workers')
GROUP BY tables.relname;
