-- Tables of ours that another engine keeps, by name: none but InnoDB has transactions.
SELECT table_name, engine
FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_name IN ('meta', 'tags', 'namespaces', 'workers')
    AND engine <> 'InnoDB';
