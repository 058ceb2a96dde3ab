-- Finds why this server cannot be a store, which settings let a crash lose confirmed writes, their cure,
-- and whether its binary log has statements. MySQL 8.0.16 is the first to enforce CHECK constraints, 10.5
-- the oldest MariaDB with maintenance in 2025.
SELECT CASE
        WHEN coalesce(inet_aton(concat(substring_index(version(), '-', 1), '.0')), 0)
            < inet_aton(if(locate('MariaDB', version()), '10.5.0.0', '8.0.16.0'))
        THEN concat('is ', if(locate('MariaDB', version()), 'MariaDB ', 'MySQL '), version(), ', and ',
            if(locate('MariaDB', version()), '10.5.0', '8.0.16'), ' is the oldest that is used; upgrade it')
        WHEN @@global.read_only
        THEN 'has read_only on, as a replica has, which follows another server; name the primary, or set it off'
    END AS refused,
    nullif(concat_ws(' and ',
        if(@@global.innodb_flush_log_at_trx_commit <> 1,
            concat('innodb_flush_log_at_trx_commit = ', @@global.innodb_flush_log_at_trx_commit), NULL),
        if(@@global.log_bin AND @@global.sync_binlog <> 1,
            concat('sync_binlog = ', @@global.sync_binlog), NULL)
    ), '') AS risk,
    'set that to 1' AS cure,
    @@global.log_bin AND @@global.binlog_format = 'STATEMENT' AS by_statements;
