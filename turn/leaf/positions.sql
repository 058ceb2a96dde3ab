-- Lists the positions of all tags: those of `leaf_alloc`, and of our own `tags`, which has the deleted ones.
SELECT n.name, MAX(n.max_id) AS max_id
FROM (
    SELECT CONVERT(l.biz_tag USING utf8mb4) COLLATE utf8mb4_bin AS name, GREATEST(l.max_id, 1) AS max_id
    FROM leaf_alloc AS l
    WHERE LENGTH(CONVERT(l.biz_tag USING utf8mb4)) <= 128
    UNION ALL
    SELECT CONVERT(t.tag USING utf8mb4) COLLATE utf8mb4_bin AS name, t.max_id AS max_id
    FROM {tags} AS t
) AS n
WHERE n.name > CONVERT(:after USING utf8mb4) COLLATE utf8mb4_bin
GROUP BY n.name
ORDER BY n.name
LIMIT :limit;
