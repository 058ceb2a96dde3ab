-- Reads the longest window of any namespace: for as long a step of the clock is ignored.
SELECT coalesce(max(max_window_ms), 0) FROM {namespaces};
