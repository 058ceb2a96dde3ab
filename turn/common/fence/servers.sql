-- Lists the store's servers.
SELECT server, beat, record
FROM {servers}
ORDER BY server;
