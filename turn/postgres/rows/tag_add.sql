-- Creates a tag; makes no row if it exists.
INSERT INTO tags (tag, max_id, step, max_step, deleted, until, claimed_until)
VALUES (:tag, :max_id, :step, :max_step,
    :deleted, :until, :claimed_until)
ON CONFLICT DO NOTHING
RETURNING floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
