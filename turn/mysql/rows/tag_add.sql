-- Makes a tag; a duplicate key if somebody else has.
-- The answer carries the time as the last inserted id.
INSERT INTO tags (tag, max_id, step, max_step, deleted, `until`, claimed_until)
VALUES (:tag, :max_id + 0 * LAST_INSERT_ID(CAST(FLOOR(UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS SIGNED)), :step, :max_step,
    :deleted, :until, :claimed_until);
