-- Deletes a tag from `leaf_alloc`; no row is changed if it is not as it was read. Our own row stays,
-- and keeps the position. A running Leaf drops the tag with its next look at the table.
-- The answer carries the time as the last inserted id.
DELETE FROM leaf_alloc
WHERE biz_tag = :tag AND GREATEST(max_id, 1) = :was_max_id AND GREATEST(step, 0) = :was_step
    AND LAST_INSERT_ID(CAST(FLOOR(UNIX_TIMESTAMP(NOW(3)) * 1000) AS SIGNED)) > 0;
