-- Writes what Leaf's row has no column for into our own, which may not exist yet. An earlier statement
-- has locked Leaf's row.
-- The answer has the time as the last insert id.
INSERT INTO {tags} (tag, max_id, step, max_step, deleted, `until`, claimed_until)
VALUES (:tag, :max_id{keeps_now}, :step, :max_step,
    :deleted, :until, :claimed_until)
ON DUPLICATE KEY UPDATE max_id = VALUES(max_id), step = VALUES(step), max_step = VALUES(max_step),
    deleted = VALUES(deleted), `until` = VALUES(`until`),
    claimed_until = VALUES(claimed_until);
