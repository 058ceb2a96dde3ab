-- What the store says of itself; no row where its making was not finished. With the name of the
-- schema, so that who may not use it hears that, and not that there is no such table.
SELECT version, store, floor_ms, beat_ms
FROM leafid.meta;
