-- Reads a tag, even a deleted one.
SELECT max_id, step, max_step, deleted, tag, {until}, claimed_until
FROM {tags}
WHERE tag = :tag;
