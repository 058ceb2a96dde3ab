-- A copy becomes a store of its own.
UPDATE meta SET store = :store;
