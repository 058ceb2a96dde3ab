-- Checks that we have no row of a tag in any spelling, except those with rows of their own in Leaf; finds
-- no row if we have one. Leaf's row of the tag exists already (`tag_add`).
-- Our names are ASCII, and converting any other would be an error.
SELECT {now}, COUNT(*) AS spellings
FROM {tags} AS t
WHERE LOWER(t.tag) = LOWER(CASE WHEN LENGTH(:tag) = CHAR_LENGTH(:tag) THEN CONVERT(:tag USING ascii) END)
        COLLATE ascii_bin
    AND (CAST(t.tag AS BINARY) = CAST(:tag AS BINARY) OR NOT EXISTS (SELECT 1 FROM leaf_alloc AS l
        WHERE CAST(CONVERT(l.biz_tag USING utf8mb4) AS BINARY) = CAST(t.tag AS BINARY)))
HAVING spellings = 0
FOR UPDATE;
