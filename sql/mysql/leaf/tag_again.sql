-- Makes our own row of a tag that was deleted the row of one that is there; no row is changed if it
-- is not as it was read. Leaf's row follows (`tag_add`).
-- The answer carries the time as the last inserted id.
UPDATE leafid_tags
SET max_id = :max_id + 0 * LAST_INSERT_ID(CAST(FLOOR(UNIX_TIMESTAMP(NOW(3)) * 1000) AS SIGNED)),
    step = :step, max_step = :max_step, deleted = :deleted, `until` = :until
WHERE tag = :tag AND max_id = :was_max_id;
