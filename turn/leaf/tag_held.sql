-- Locks our own rows of a tag, in every spelling, until the transaction ends; finds no row if their
-- highest position has changed since it was read. Leaf's row of the tag exists already (`tag_add`), so
-- after a wait for that our rows are as a deletion left them.
-- Our names are ASCII, and converting any other would be an error.
SELECT {now}, MAX(t.max_id) AS stands
FROM {tags} AS t
WHERE LOWER(t.tag) = LOWER(CASE WHEN LENGTH(:tag) = CHAR_LENGTH(:tag) THEN CONVERT(:tag USING ascii) END)
        COLLATE ascii_bin
    AND (CAST(t.tag AS BINARY) = CAST(:tag AS BINARY) OR NOT EXISTS (SELECT 1 FROM leaf_alloc AS l
        WHERE CAST(CONVERT(l.biz_tag USING utf8mb4) AS BINARY) = CAST(t.tag AS BINARY)))
HAVING stands = :was_max_id
FOR UPDATE;
