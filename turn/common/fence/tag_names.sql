-- Lists the names of all tags, including deleted ones and those with unreadable rows.
SELECT tag AS name
FROM {tags}
WHERE tag > :after
ORDER BY tag
LIMIT :limit;
