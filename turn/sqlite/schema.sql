-- The tables of a registry in a SQLite file. Every program that opens the file (the server, a host)
-- reads and writes them and decides by the core's rules; `user_version` is the version of the tables.

-- The store itself: one row.
CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    -- the random id that every grant contains
    store BLOB NOT NULL CHECK (length(store) = 16),
    created_ms INTEGER NOT NULL,
    -- above 0: this store replaces a lost one or was fenced, and no window begins before this time
    floor_ms INTEGER NOT NULL DEFAULT 0,
    -- when the store was written last: a start with a clock far above it is refused
    beat_ms INTEGER NOT NULL DEFAULT 0,
    -- how often the store was fenced: it had lost grants, and every tag and number was moved past them
    generation INTEGER NOT NULL DEFAULT 0,
    -- when it was fenced last
    fenced_ms INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The store's servers, each with the record that it writes with each of its writes: by these they know that
-- nothing that any of them wrote is missing.
CREATE TABLE servers (
    server BLOB PRIMARY KEY CHECK (length(server) = 16),
    -- the number of the record's last write
    beat TEXT NOT NULL,
    record TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Tags. A deleted tag leaves its row, so that a tag of its name goes on above it.
CREATE TABLE tags (
    tag TEXT PRIMARY KEY,
    -- the next number that was never granted
    max_id INTEGER NOT NULL CHECK (max_id > 0),
    step INTEGER NOT NULL,
    max_step INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    -- the upper end: one more than the last number that may be granted; null for none
    until INTEGER,
    -- the highest end that a holder claimed above the position; while it is above `max_id` nothing is
    -- granted; null without a claim since the last advance
    claimed_until INTEGER
) STRICT, WITHOUT ROWID;

-- Namespaces: sets of worker numbers with one layout.
CREATE TABLE namespaces (
    namespace TEXT PRIMARY KEY,
    epoch_ms INTEGER NOT NULL,
    tick_ms INTEGER NOT NULL,
    time_bits INTEGER NOT NULL,
    worker_bits INTEGER NOT NULL,
    sequence_bits INTEGER NOT NULL,
    max_window_ms INTEGER NOT NULL,
    -- the numbers that may be granted: start <= worker < end
    workers_start INTEGER NOT NULL,
    workers_end INTEGER NOT NULL,
    -- no window begins below this tick
    floor INTEGER NOT NULL,
    -- every number from workers_start up to this one has a row
    used_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Worker numbers that were granted at least once. A row is never deleted.
CREATE TABLE workers (
    namespace TEXT NOT NULL,
    worker INTEGER NOT NULL,
    -- a label for people; empty after an operator's release
    owner TEXT NOT NULL,
    -- 1: the owner keeps the number between its windows
    sticky INTEGER NOT NULL,
    -- the request id of the acquire that the lease was granted to
    key BLOB,
    -- the first tick of the lease
    held_from INTEGER NOT NULL,
    -- nothing at or above this tick was ever granted of the number
    reserved_until INTEGER NOT NULL,
    -- when it was granted or renewed last, by the store's clock
    granted_ms INTEGER NOT NULL,
    -- 1: the namespace's range has the number. It is a column so that a search by rest meets only
    -- those: numbers that left the range often rested longest, and each search would skip them one by
    -- one.
    inside INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (namespace, worker)
) STRICT, WITHOUT ROWID;

-- One index per file in `lookups`, which names it: without statistics SQLite would prefer the primary key
-- and read the whole namespace.
CREATE INDEX workers_mine ON workers (namespace, key) WHERE key IS NOT NULL;
CREATE INDEX workers_own ON workers (namespace, owner, inside) WHERE sticky = 1;
CREATE INDEX workers_rested ON workers (namespace, reserved_until) WHERE sticky = 0 AND inside = 1;
CREATE INDEX workers_kept ON workers (namespace, granted_ms) WHERE sticky = 1 AND inside = 1;
