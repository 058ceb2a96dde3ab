-- What stands in the tables: tags that are not deleted, namespaces, the longest of their windows, and
-- when a window was granted last. It reads all rows, once per start.
SELECT
    (SELECT count(*) FROM tags WHERE deleted = FALSE),
    (SELECT count(*) FROM namespaces),
    (SELECT coalesce(max(max_window_ms), 0)::bigint FROM namespaces),
    (SELECT coalesce(max(granted_ms), 0) FROM workers);
