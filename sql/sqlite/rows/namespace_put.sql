-- Writes a namespace whole. Whether it is as it was is looked at before, in the same transaction.
INSERT OR REPLACE INTO namespaces (namespace, epoch_ms, tick_ms, time_bits, worker_bits,
    sequence_bits, max_window_ms, workers_start, workers_end, floor, used_until)
VALUES (:namespace, :epoch_ms, :tick_ms, :time_bits, :worker_bits, :sequence_bits, :max_window_ms,
    :workers_start, :workers_end, :floor, :used_until);
