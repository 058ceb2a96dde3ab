-- As `worker_change`, where only the end and the time of the last grant may differ: SQLite writes a row
-- again in each index that has a column which is set, even to the same value.
UPDATE {workers}
SET reserved_until = :reserved_until, granted_ms = :granted_ms{keeps_now}
WHERE namespace = :namespace AND worker = :worker AND owner = :was_owner AND sticky = :was_sticky
    AND {key} {same} :was_key AND held_from = :was_held_from AND reserved_until = :was_reserved_until
    AND granted_ms = :was_granted_ms
{tells_now};
