-- Moves our own row of a tag that is not in `leaf_alloc`, or was there in another spelling only. Whether it
-- was deleted by us or by hand stays recorded.
-- The answer has the time as the last insert id.
INSERT INTO {tags} (tag, max_id, step, max_step, deleted, `until`, claimed_until)
VALUES (:tag, :max_id{keeps_now}, :step, :max_step,
    :deleted, :until, :claimed_until)
ON DUPLICATE KEY UPDATE max_id = VALUES(max_id);
