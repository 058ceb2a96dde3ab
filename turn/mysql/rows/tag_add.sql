-- Creates a tag; fails with a duplicate key if it exists.
-- The answer has the time as the last insert id.
INSERT INTO tags (tag, max_id, step, max_step, deleted, `until`, claimed_until)
VALUES (:tag, :max_id + 0 * LAST_INSERT_ID(CAST(FLOOR(UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS SIGNED)), :step, :max_step,
    :deleted, :until, :claimed_until);
