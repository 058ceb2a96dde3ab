-- Lists tags that are not deleted, by name.
SELECT max_id, step, max_step, deleted, tag, `until`, claimed_until
FROM tags
WHERE tag > :after AND deleted = FALSE
ORDER BY tag
LIMIT :limit;
