-- Deletes a tag from `leaf_alloc`; changes no row if its position has risen since it was read. It may be
-- lower if the row was inserted by hand over our tombstone. Our own row stays and keeps the position that
-- was read. A running Leaf drops the tag when it next reads the table.
-- The answer has the time as the last insert id.
DELETE FROM leaf_alloc
WHERE biz_tag = :tag AND CAST(CONVERT(biz_tag USING utf8mb4) AS BINARY) = CAST(:tag AS BINARY)
    AND GREATEST(max_id, 1) <= :was_max_id AND GREATEST(step, 0) = :was_step
    AND LAST_INSERT_ID({now}) > 0;
