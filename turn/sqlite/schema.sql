-- The tables of a registry in a SQLite file. Every program that opens the file (the server, a host)
-- reads and writes these and decides by the core's rules; `user_version` counts their versions.

-- The store itself: one row.
CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    -- the random id that every grant carries
    store BLOB NOT NULL CHECK (length(store) = 16),
    created_ms INTEGER NOT NULL,
    -- above 0: this store replaces a lost one or was fenced, and grants no window that begins before
    -- this time
    floor_ms INTEGER NOT NULL DEFAULT 0,
    -- when the store was written last: a start far above it is not believed
    beat_ms INTEGER NOT NULL DEFAULT 0,
    -- how many transactions wrote to the store: a copy that lacks some has a lower one
    position INTEGER NOT NULL DEFAULT 0,
    -- how often the store was fenced: it had lost something, and every line was moved past that
    generation INTEGER NOT NULL DEFAULT 0,
    -- when it was fenced last, and what the database called itself then
    fenced_ms INTEGER NOT NULL DEFAULT 0,
    fenced_on TEXT NOT NULL DEFAULT ''
) STRICT;

-- Lines of numbers. A deleted tag leaves its row: a tag made again goes on above it.
CREATE TABLE tags (
    tag TEXT PRIMARY KEY,
    -- the next number that was never granted
    max_id INTEGER NOT NULL CHECK (max_id > 0),
    step INTEGER NOT NULL,
    max_step INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    -- the upper end: one more than the last number that may be granted; null where there is none
    until INTEGER,
    -- the highest end that a holder claimed to have while the row stood below; while it lies above
    -- `max_id` nothing is granted; null where nothing was claimed since the last advance
    claimed_until INTEGER
) STRICT, WITHOUT ROWID;

-- Sets of worker numbers that share one layout.
CREATE TABLE namespaces (
    namespace TEXT PRIMARY KEY,
    epoch_ms INTEGER NOT NULL,
    tick_ms INTEGER NOT NULL,
    time_bits INTEGER NOT NULL,
    worker_bits INTEGER NOT NULL,
    sequence_bits INTEGER NOT NULL,
    max_window_ms INTEGER NOT NULL,
    -- the numbers that may be handed out: start <= worker < end
    workers_start INTEGER NOT NULL,
    workers_end INTEGER NOT NULL,
    -- no window begins below this tick
    floor INTEGER NOT NULL,
    -- every number from workers_start up to this one has a row
    used_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Worker numbers that were handed out at least once. A row is never deleted.
CREATE TABLE workers (
    namespace TEXT NOT NULL,
    worker INTEGER NOT NULL,
    -- a label for people; empty after an operator's release
    owner TEXT NOT NULL,
    -- 1: the owner keeps the number between its windows
    sticky INTEGER NOT NULL,
    -- the request id of the acquire whose lease this is
    key BLOB,
    -- the first tick of the lease
    held_from INTEGER NOT NULL,
    -- nothing at or above this tick was ever granted on the number
    reserved_until INTEGER NOT NULL,
    -- when it was granted or renewed last, by the store's clock
    granted_ms INTEGER NOT NULL,
    -- 1: the namespace's range has the number. It stands here so that a search by rest meets only
    -- numbers that may be handed out: those that left the range often rested longest, and would be
    -- passed one by one every time.
    inside INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (namespace, worker)
) STRICT, WITHOUT ROWID;

-- One index per file in `lookups`; each names its index, for without statistics SQLite prefers the
-- primary key and reads the whole namespace.
CREATE INDEX workers_mine ON workers (namespace, key) WHERE key IS NOT NULL;
CREATE INDEX workers_own ON workers (namespace, owner, inside) WHERE sticky = 1;
CREATE INDEX workers_rested ON workers (namespace, reserved_until) WHERE sticky = 0 AND inside = 1;
CREATE INDEX workers_kept ON workers (namespace, granted_ms) WHERE sticky = 1 AND inside = 1;
