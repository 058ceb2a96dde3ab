-- Gives the store another id, which makes a copy a store of its own.
UPDATE {meta} SET store = :store
{tells_now};
