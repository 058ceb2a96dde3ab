-- Lists namespaces, by name.
SELECT epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits, max_window_ms, workers_start,
    workers_end, floor, used_until, namespace
FROM {namespaces}
WHERE namespace > :after
ORDER BY namespace
LIMIT :limit;
