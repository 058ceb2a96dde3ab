-- Finds what `leaf_alloc` lacks to be Leaf's, and what else keeps it from having our tags.
SELECT CASE
        WHEN count(t.table_name) = 0
        THEN 'has no table `leaf_alloc`, which was to keep the tags; name Leaf''s own database, or leave out `tags=leaf_alloc` for a store without Leaf'
        WHEN count(c.column_name) < 3
        THEN 'has a table `leaf_alloc` without `biz_tag`, `max_id` and `step`, so it is not Leaf''s; name Leaf''s own database'
    END AS mismatch,
    CASE
        WHEN max(t.engine) <> 'InnoDB'
        THEN concat('keeps its table `leaf_alloc` in ', max(t.engine),
            ', which has no transactions; move it: ALTER TABLE leaf_alloc ENGINE = InnoDB')
    END AS refused
FROM information_schema.tables AS t
LEFT JOIN information_schema.columns AS c ON c.table_schema = t.table_schema
    AND c.table_name = t.table_name AND c.column_name IN ('biz_tag', 'max_id', 'step')
WHERE t.table_schema = DATABASE() AND t.table_name = 'leaf_alloc';
