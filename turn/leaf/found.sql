-- Counts Leaf's tags and the namespaces, and finds the longest window and the last grant of one. Reads
-- all rows, once per start.
SELECT
    (SELECT count(*) FROM leaf_alloc),
    (SELECT count(*) FROM {namespaces}),
    (SELECT coalesce(max(max_window_ms), 0) FROM {namespaces}),
    (SELECT coalesce(max(granted_ms), 0) FROM {workers});
