-- Finds why this server cannot be a store, which settings let a crash lose confirmed writes, and their cure.
-- Before version 12 a failed sync of the disk could pass for a successful one.
SELECT CASE
        WHEN current_setting('server_version_num')::bigint < 120000
        THEN 'is PostgreSQL ' || current_setting('server_version_num')::bigint / 10000
            || ', and 12 is the oldest that is used: older ones may take a failed write for a good one; '
            || 'upgrade it'
        WHEN pg_is_in_recovery()
        THEN 'is a standby, which follows another server and cannot be written; name the primary'
        WHEN current_setting('transaction_read_only') = 'on'
        THEN 'lets this user only read: default_transaction_read_only is on; set it off'
    END AS refused,
    nullif(concat_ws(' and ',
        CASE current_setting('synchronous_commit') WHEN 'off' THEN 'synchronous_commit = off' END,
        CASE current_setting('fsync') WHEN 'off' THEN 'fsync = off' END,
        CASE current_setting('full_page_writes') WHEN 'off' THEN 'full_page_writes = off' END
    ), '') AS risk,
    'turn that on' AS cure;
