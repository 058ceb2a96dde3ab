-- Gives the store another id, which makes a copy a store of its own.
UPDATE meta SET store = :store
RETURNING floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
