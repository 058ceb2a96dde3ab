-- Finds the other leafid programs that have this database open, with their users. Any user may read that.
SELECT coalesce(string_agg(format('%s of %s', pid, usename), ', ' ORDER BY pid), '')::text
FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'leafid'
    AND pid <> pg_backend_pid();
