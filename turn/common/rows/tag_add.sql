-- Creates a tag; makes none if it exists.
INSERT INTO {tags} (tag, max_id, step, max_step, deleted, {until}, claimed_until)
VALUES (:tag, :max_id{keeps_now}, :step, :max_step,
    :deleted, :until, :claimed_until)
{if_new}
{tells_now};
