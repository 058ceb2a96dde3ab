-- Makes a tag; no row is changed if somebody else has.
INSERT INTO tags (tag, max_id, step, max_step, deleted, until, claimed_until)
VALUES (:tag, :max_id, :step, :max_step, :deleted, :until, :claimed_until)
ON CONFLICT DO NOTHING;
