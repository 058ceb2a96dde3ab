-- Lists the names of all namespaces.
SELECT namespace AS name
FROM {namespaces}
WHERE namespace > :after
ORDER BY namespace
LIMIT :limit;
