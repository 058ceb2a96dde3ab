-- A tag of `leaf_alloc`, and what stands beside it in our own `tags`; where only ours is there, it is
-- a tombstone. A row that nobody but Leaf knows has the defaults. Leaf lets a position be 0.
-- A row that was inserted by hand over our tombstone goes on above it, and has the defaults, too; one
-- that was deleted by hand leaves ours as that of a tag that is there: `removed`.
-- The column may take several spellings for one, so the name says how it is written there, and a
-- tombstone counts for all that differ in case only, but for those that Leaf has as rows of their own.
-- Names of ours are ASCII, and converting any other would be an error. A step below 0 is one of 0, and
-- `leaf_step` says which it was.
SELECT GREATEST(l.max_id, 1, IF(t.deleted, t.max_id, 1)) AS max_id, GREATEST(l.step, 0) AS step,
    COALESCE(IF(t.deleted, NULL, t.max_step), GREATEST(l.step, 1000000)) AS max_step, FALSE AS deleted,
    IF(t.deleted, NULL, t.`until`) AS `until`, t.claimed_until, CONVERT(l.biz_tag USING utf8mb4) AS tag,
    FALSE AS removed, l.step AS leaf_step
FROM leaf_alloc AS l
LEFT JOIN leafid_tags AS t ON t.tag = CASE
    WHEN LENGTH(CONVERT(l.biz_tag USING utf8mb4)) = CHAR_LENGTH(l.biz_tag)
    THEN CONVERT(l.biz_tag USING ascii) END COLLATE ascii_bin
WHERE l.biz_tag = :tag
UNION ALL
SELECT MAX(t.max_id), MAX(t.step), MAX(t.max_step), TRUE, NULL, MAX(t.claimed_until), NULL, MAX(NOT t.deleted),
    NULL
FROM leafid_tags AS t
WHERE LOWER(t.tag) = LOWER(CASE WHEN LENGTH(:tag) = CHAR_LENGTH(:tag) THEN CONVERT(:tag USING ascii) END)
        COLLATE ascii_bin
    AND NOT EXISTS (SELECT 1 FROM leaf_alloc WHERE biz_tag = :tag)
    AND NOT EXISTS (SELECT 1 FROM leaf_alloc AS l
        WHERE CAST(CONVERT(l.biz_tag USING utf8mb4) AS BINARY) = CAST(t.tag AS BINARY))
HAVING COUNT(*) > 0;
