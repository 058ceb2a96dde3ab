-- Makes a tag; no row is changed if somebody else has.
INSERT INTO tags (tag, max_id, step, max_step, deleted)
VALUES (:tag, :max_id, :step, :max_step, :deleted)
ON CONFLICT DO NOTHING;
