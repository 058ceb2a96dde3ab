-- What the server is set to: without these a grant that was answered can be lost.
SELECT @@global.innodb_flush_log_at_trx_commit, @@global.log_bin, @@global.sync_binlog,
    @@global.read_only, @@global.binlog_format = 'STATEMENT', version();
