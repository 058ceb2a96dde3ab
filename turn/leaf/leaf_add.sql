-- Creates a tag for Leaf; fails with a duplicate key if it exists.
-- The answer has the time as the last insert id.
INSERT INTO leaf_alloc (biz_tag, max_id, step)
VALUES (:tag, :max_id{keeps_now}, :step);
