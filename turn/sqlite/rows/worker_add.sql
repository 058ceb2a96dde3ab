-- Makes the row of a number that is handed out for the first time; no row is changed if somebody
-- else has.
-- A number outside the namespace's range gets one when it is set aside: searches by rest pass it by.
INSERT INTO workers (namespace, worker, owner, sticky, key, held_from, reserved_until, granted_ms,
    inside)
VALUES (:namespace, :worker, :owner, :sticky, :key, :held_from, :reserved_until, :granted_ms,
    COALESCE((
        SELECT :worker >= workers_start AND :worker < workers_end
        FROM namespaces
        WHERE namespace = :namespace
    ), 1))
ON CONFLICT DO NOTHING;
