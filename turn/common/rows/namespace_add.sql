-- Creates a namespace; makes none if it exists.
INSERT INTO {namespaces} (namespace, epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits,
    max_window_ms, workers_start, workers_end, floor, used_until)
VALUES (:namespace, :epoch_ms, :tick_ms, :time_bits, :worker_bits, :sequence_bits,
    :max_window_ms, :workers_start, :workers_end, :floor, :used_until)
{if_new}
{tells_now};
