-- Deletes a tag from `leaf_alloc`; no row is changed if it stands above what was read. Below it stands
-- where it was inserted by hand over our tombstone. Our own row stays, and keeps the position that was
-- read. A running Leaf drops the tag with its next look at the table.
-- The answer carries the time as the last inserted id.
DELETE FROM leaf_alloc
WHERE biz_tag = :tag AND CAST(CONVERT(biz_tag USING utf8mb4) AS BINARY) = CAST(:tag AS BINARY)
    AND GREATEST(max_id, 1) <= :was_max_id AND GREATEST(step, 0) = :was_step
    AND LAST_INSERT_ID(CAST(FLOOR(UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS SIGNED)) > 0;
