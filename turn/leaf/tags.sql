-- Lists the tags of `leaf_alloc`, in its own order, without names that are too long for us. Of a tombstone
-- of ours under a row that was inserted by hand only the position counts.
SELECT GREATEST(l.max_id, 1, IF(t.deleted, t.max_id, 1)) AS max_id, GREATEST(l.step, 0) AS step,
    COALESCE(IF(t.deleted, NULL, t.max_step), GREATEST(l.step, 1000000)) AS max_step, FALSE AS deleted,
    l.biz_tag AS tag, IF(t.deleted, NULL, t.`until`) AS `until`, t.claimed_until
FROM leaf_alloc AS l
LEFT JOIN {tags} AS t ON t.tag = CASE
    WHEN LENGTH(CONVERT(l.biz_tag USING utf8mb4)) = CHAR_LENGTH(l.biz_tag)
    THEN CONVERT(l.biz_tag USING ascii) END COLLATE ascii_bin
WHERE l.biz_tag > :after AND LENGTH(CONVERT(l.biz_tag USING utf8mb4)) <= 128
ORDER BY l.biz_tag
LIMIT :limit;
