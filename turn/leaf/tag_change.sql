-- Moves a tag of `leaf_alloc`, or changes its step; changes no row if it has changed since it was read: a
-- running Leaf adds to `max_id` at any time. Sets both tables, so that both are read after the lock of
-- Leaf's row is granted, and not as of the start of the statement. A tombstone of ours under a row that
-- was inserted by hand becomes the row of an existing tag.
-- Our names are ASCII, and converting any other would be an error.
-- The answer has the time as the last insert id.
UPDATE leaf_alloc AS l
LEFT JOIN {tags} AS t ON t.tag = CASE
    WHEN LENGTH(CONVERT(l.biz_tag USING utf8mb4)) = CHAR_LENGTH(l.biz_tag)
    THEN CONVERT(l.biz_tag USING ascii) END COLLATE ascii_bin
SET l.max_id = :max_id{keeps_now},
    l.step = :step, t.max_id = :max_id, t.max_step = :max_step, t.deleted = :deleted, t.`until` = :until,
    t.claimed_until = :claimed_until
WHERE l.biz_tag = :tag AND CAST(CONVERT(l.biz_tag USING utf8mb4) AS BINARY) = CAST(:tag AS BINARY)
    AND GREATEST(l.max_id, 1, IF(t.deleted, t.max_id, 1)) = :was_max_id
    AND GREATEST(l.step, 0) = :was_step
    AND COALESCE(IF(t.deleted, NULL, t.max_step), GREATEST(l.step, 1000000)) = :was_max_step
    AND IF(t.deleted, NULL, t.`until`) <=> :was_until AND t.claimed_until <=> :was_claimed_until;
