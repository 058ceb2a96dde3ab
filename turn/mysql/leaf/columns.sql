-- Which engine keeps `leaf_alloc`, and how many of the columns that we need it has.
SELECT t.engine, count(c.column_name)
FROM information_schema.tables AS t
LEFT JOIN information_schema.columns AS c ON c.table_schema = t.table_schema
    AND c.table_name = t.table_name AND c.column_name IN ('biz_tag', 'max_id', 'step')
WHERE t.table_schema = DATABASE() AND t.table_name = 'leaf_alloc'
GROUP BY t.engine;
