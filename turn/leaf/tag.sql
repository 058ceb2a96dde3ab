-- Reads a tag of `leaf_alloc` with our own row of it; our row alone is a tombstone. A row that only Leaf
-- has gets the defaults. Leaf allows a position of 0.
-- A row that was inserted by hand over our tombstone goes on above it, with the defaults; one that was
-- deleted by hand leaves our row as that of an existing tag: `removed`.
-- The column may treat several spellings as equal, so the answer has the name as written there, and a
-- tombstone counts for all spellings that differ in case only, except those with rows of their own in Leaf.
-- Our names are ASCII, and converting any other would be an error. A step below 0 becomes 0.
SELECT GREATEST(l.max_id, 1, IF(t.deleted, t.max_id, 1)) AS max_id, GREATEST(l.step, 0) AS step,
    COALESCE(IF(t.deleted, NULL, t.max_step), GREATEST(l.step, 1000000)) AS max_step, FALSE AS deleted,
    IF(t.deleted, NULL, t.`until`) AS `until`, t.claimed_until, CONVERT(l.biz_tag USING utf8mb4) AS tag,
    FALSE AS removed
FROM leaf_alloc AS l
LEFT JOIN {tags} AS t ON t.tag = CASE
    WHEN LENGTH(CONVERT(l.biz_tag USING utf8mb4)) = CHAR_LENGTH(l.biz_tag)
    THEN CONVERT(l.biz_tag USING ascii) END COLLATE ascii_bin
WHERE l.biz_tag = :tag
UNION ALL
SELECT MAX(t.max_id), MAX(t.step), MAX(t.max_step), TRUE, NULL, MAX(t.claimed_until), NULL, MAX(NOT t.deleted)
FROM {tags} AS t
WHERE LOWER(t.tag) = LOWER(CASE WHEN LENGTH(:tag) = CHAR_LENGTH(:tag) THEN CONVERT(:tag USING ascii) END)
        COLLATE ascii_bin
    AND NOT EXISTS (SELECT 1 FROM leaf_alloc WHERE biz_tag = :tag)
    AND NOT EXISTS (SELECT 1 FROM leaf_alloc AS l
        WHERE CAST(CONVERT(l.biz_tag USING utf8mb4) AS BINARY) = CAST(t.tag AS BINARY))
HAVING COUNT(*) > 0;
