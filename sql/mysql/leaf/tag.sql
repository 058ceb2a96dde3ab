-- A tag of `leaf_alloc`, and what stands beside it in our own `tags`; without Leaf's row it is a
-- tombstone. A row that nobody but Leaf knows has the defaults. Leaf lets a position be 0.
SELECT
    CASE WHEN l.biz_tag IS NULL THEN t.max_id ELSE GREATEST(l.max_id, 1) END AS max_id,
    CASE WHEN l.biz_tag IS NULL THEN t.step ELSE GREATEST(l.step, 0) END AS step,
    COALESCE(t.max_step, GREATEST(l.step, 1000000)) AS max_step,
    l.biz_tag IS NULL AS deleted,
    t.`until` AS `until`
FROM (SELECT 1) AS one
LEFT JOIN leaf_alloc AS l ON l.biz_tag = :tag
LEFT JOIN leafid_tags AS t ON t.tag = CONVERT(COALESCE(l.biz_tag, :tag) USING ascii) COLLATE ascii_bin
WHERE l.biz_tag IS NOT NULL OR t.tag IS NOT NULL;
