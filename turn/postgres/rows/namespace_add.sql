-- Creates a namespace; makes no row if it exists.
INSERT INTO namespaces (namespace, epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits,
    max_window_ms, workers_start, workers_end, floor, used_until)
VALUES (:namespace, :epoch_ms, :tick_ms, :time_bits, :worker_bits, :sequence_bits,
    :max_window_ms, :workers_start, :workers_end, :floor, :used_until)
ON CONFLICT DO NOTHING
RETURNING floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
