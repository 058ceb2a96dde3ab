-- A tag, deleted ones included.
SELECT max_id, step, max_step, deleted, tag, until, claimed_until
FROM tags
WHERE tag = :tag;
