-- Reads the row of the store itself; there is none if the store is incomplete. Names the schema, so that a
-- user without the right to it gets that error, and not that there is no such table.
SELECT version, store, floor_ms, beat_ms
FROM leafid.meta;
