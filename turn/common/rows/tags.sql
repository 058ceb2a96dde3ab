-- Lists tags that are not deleted, by name.
SELECT max_id, step, max_step, deleted, tag, {until}, claimed_until
FROM {tags}
WHERE tag > :after AND deleted = {false}
ORDER BY tag
LIMIT :limit;
