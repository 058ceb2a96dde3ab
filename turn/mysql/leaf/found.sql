-- What stands in the tables: Leaf's tags, namespaces, the longest of their windows, and when a window
-- was granted last. It reads all rows, once per start.
SELECT
    (SELECT count(*) FROM leaf_alloc),
    (SELECT count(*) FROM namespaces),
    (SELECT coalesce(max(max_window_ms), 0) FROM namespaces),
    (SELECT coalesce(max(granted_ms), 0) FROM workers);
