-- What the server and this session are set to: without these a grant that was answered can be lost.
SELECT current_setting('server_version_num')::bigint, pg_is_in_recovery(),
    current_setting('synchronous_commit'), current_setting('fsync'),
    current_setting('full_page_writes'), current_setting('transaction_read_only');
