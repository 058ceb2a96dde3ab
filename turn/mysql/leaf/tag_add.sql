-- Makes a tag for Leaf; a duplicate key if somebody else has.
-- The answer carries the time as the last inserted id.
INSERT INTO leaf_alloc (biz_tag, max_id, step)
VALUES (:tag, :max_id + 0 * LAST_INSERT_ID(CAST(FLOOR(UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS SIGNED)), :step);
