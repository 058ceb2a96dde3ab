-- The names of all tags, deleted ones included: also of those whose rows say what no row does.
SELECT tag AS name
FROM tags
WHERE tag > :after
ORDER BY tag
LIMIT :limit;
