-- Finds which of the tables exist; the column `version` tells ours from another program's.
SELECT table_name, count(CASE WHEN column_name = 'version' THEN 1 END)
FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name IN ('{meta}', '{tags}', '{namespaces}', '{workers}',
    '{servers}')
GROUP BY table_name;
