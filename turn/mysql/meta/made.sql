-- Which of the tables are there: `version` is a column of no other program's table of that name.
SELECT table_name, count(CASE WHEN column_name = 'version' THEN 1 END)
FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name IN ('meta', 'tags', 'namespaces', 'workers')
GROUP BY table_name;
