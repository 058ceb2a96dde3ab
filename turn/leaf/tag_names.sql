-- Lists the names of all tags: those of `leaf_alloc`, and of our own `tags`, which has the deleted ones.
SELECT n.name
FROM (
    SELECT CONVERT(l.biz_tag USING utf8mb4) COLLATE utf8mb4_bin AS name
    FROM leaf_alloc AS l
    WHERE LENGTH(CONVERT(l.biz_tag USING utf8mb4)) <= 128
    UNION
    SELECT CONVERT(t.tag USING utf8mb4) COLLATE utf8mb4_bin AS name
    FROM {tags} AS t
) AS n
WHERE n.name > CONVERT(:after USING utf8mb4) COLLATE utf8mb4_bin
ORDER BY n.name
LIMIT :limit;
