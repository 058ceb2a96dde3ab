-- Creates a tag; changes no row if it exists.
INSERT INTO tags (tag, max_id, step, max_step, deleted, until, claimed_until)
VALUES (:tag, :max_id, :step, :max_step, :deleted, :until, :claimed_until)
ON CONFLICT DO NOTHING;
