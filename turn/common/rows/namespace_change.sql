-- Changes a namespace; changes no row if it has changed since it was read. Its numbers follow (`range`).
UPDATE {namespaces}
SET epoch_ms = :epoch_ms, tick_ms = :tick_ms, time_bits = :time_bits,
    worker_bits = :worker_bits, sequence_bits = :sequence_bits, max_window_ms = :max_window_ms,
    workers_start = :workers_start, workers_end = :workers_end, floor = :floor,
    used_until = :used_until
WHERE namespace = :namespace AND epoch_ms = :was_epoch_ms AND tick_ms = :was_tick_ms
    AND time_bits = :was_time_bits AND worker_bits = :was_worker_bits
    AND sequence_bits = :was_sequence_bits AND max_window_ms = :was_max_window_ms
    AND workers_start = :was_workers_start AND workers_end = :was_workers_end
    AND floor = :was_floor AND used_until = :was_used_until
{tells_now};
