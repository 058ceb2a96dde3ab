-- Locks a namespace until the transaction ends; finds no row if it has changed since it was read, whatever
-- was granted meanwhile. The lock is not shared: two sessions with a shared one could both wait to change
-- the row.
SELECT {found}
FROM {namespaces}
WHERE namespace = :namespace AND epoch_ms = :was_epoch_ms AND tick_ms = :was_tick_ms
    AND time_bits = :was_time_bits AND worker_bits = :was_worker_bits
    AND sequence_bits = :was_sequence_bits AND max_window_ms = :was_max_window_ms
    AND workers_start = :was_workers_start AND workers_end = :was_workers_end
    AND floor = :was_floor
{locked};
