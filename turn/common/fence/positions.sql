-- Lists the positions of all tags, including deleted ones and those with unreadable rows.
SELECT tag AS name, max_id
FROM {tags}
WHERE tag > :after AND max_id > 0
ORDER BY tag
LIMIT :limit;
