-- A tag of `leaf_alloc`, and what stands beside it in our own `tags`; where only ours is there, it is
-- a tombstone. A row that nobody but Leaf knows has the defaults. Leaf lets a position be 0.
-- Names of ours are ASCII, and converting any other would be an error.
SELECT GREATEST(l.max_id, 1) AS max_id, GREATEST(l.step, 0) AS step,
    COALESCE(t.max_step, GREATEST(l.step, 1000000)) AS max_step, FALSE AS deleted, t.`until` AS `until`
FROM leaf_alloc AS l
LEFT JOIN leafid_tags AS t ON t.tag = CASE
    WHEN LENGTH(CONVERT(l.biz_tag USING utf8mb4)) = CHAR_LENGTH(l.biz_tag)
    THEN CONVERT(l.biz_tag USING ascii) END COLLATE ascii_bin
WHERE l.biz_tag = :tag
UNION ALL
SELECT max_id, step, max_step, TRUE, `until`
FROM leafid_tags
WHERE tag = CASE WHEN LENGTH(:tag) = CHAR_LENGTH(:tag) THEN CONVERT(:tag USING ascii) END COLLATE ascii_bin
    AND NOT EXISTS (SELECT 1 FROM leaf_alloc WHERE biz_tag = :tag);
