-- The tables of a registry in a PostgreSQL database, in a schema of their own, so that an application may
-- have its own `tags`. Every program that opens them (the server, a host) reads and writes them and decides
-- by the core's rules; `meta.version` is the version of the tables. Names are compared byte by byte, as
-- everywhere.
CREATE SCHEMA IF NOT EXISTS leafid;

-- The store itself: one row.
CREATE TABLE leafid.meta (
    one SMALLINT PRIMARY KEY CHECK (one = 1),
    -- the version of these tables
    version INTEGER NOT NULL,
    -- the random id that every grant contains
    store BYTEA NOT NULL CHECK (octet_length(store) = 16),
    created_ms BIGINT NOT NULL,
    -- above 0: this store replaces a lost one or was fenced, and no window begins before this time
    floor_ms BIGINT NOT NULL DEFAULT 0,
    -- the latest time of use: a start with a clock far above it is refused
    beat_ms BIGINT NOT NULL DEFAULT 0,
    -- how often the store was fenced: it had lost grants, and every tag and number was moved past them
    generation BIGINT NOT NULL DEFAULT 0,
    -- when it was fenced last
    fenced_ms BIGINT NOT NULL DEFAULT 0
);

-- The store's servers, each with the record that it writes with each of its writes: by these they know that
-- nothing that any of them wrote is missing.
CREATE TABLE leafid.servers (
    server BYTEA PRIMARY KEY CHECK (octet_length(server) = 16),
    -- the number of the record's last write
    beat TEXT NOT NULL,
    record TEXT NOT NULL
);

-- Tags. A deleted tag leaves its row, so that a tag of its name goes on above it. Half of each page is left
-- free, so that a row that is written thousands of times a second stays on its page, without a write of its
-- index.
CREATE TABLE leafid.tags (
    tag TEXT COLLATE "C" PRIMARY KEY,
    -- the next number that was never granted
    max_id BIGINT NOT NULL CHECK (max_id > 0),
    step BIGINT NOT NULL,
    max_step BIGINT NOT NULL,
    deleted BOOLEAN NOT NULL,
    -- the upper end: one more than the last number that may be granted; null for none
    until BIGINT,
    -- the highest end that a holder claimed above the position; while it is above `max_id` nothing is
    -- granted; null without a claim since the last advance
    claimed_until BIGINT
) WITH (fillfactor = 50);

-- Namespaces: sets of worker numbers with one layout.
CREATE TABLE leafid.namespaces (
    namespace TEXT COLLATE "C" PRIMARY KEY,
    epoch_ms BIGINT NOT NULL,
    tick_ms BIGINT NOT NULL,
    time_bits SMALLINT NOT NULL,
    worker_bits SMALLINT NOT NULL,
    sequence_bits SMALLINT NOT NULL,
    max_window_ms BIGINT NOT NULL,
    -- the numbers that may be granted: start <= worker < end
    workers_start BIGINT NOT NULL,
    workers_end BIGINT NOT NULL,
    -- no window begins below this tick
    floor BIGINT NOT NULL,
    -- every number from workers_start up to this one has a row
    used_until BIGINT NOT NULL
);

-- Worker numbers that were granted at least once. A row is never deleted.
CREATE TABLE leafid.workers (
    namespace TEXT COLLATE "C" NOT NULL,
    worker BIGINT NOT NULL,
    -- a label for people; empty after an operator's release
    owner TEXT COLLATE "C" NOT NULL,
    -- the owner keeps the number between its windows
    sticky BOOLEAN NOT NULL,
    -- the request id of the acquire that the lease was granted to
    key BYTEA CHECK (octet_length(key) = 16),
    -- the first tick of the lease
    held_from BIGINT NOT NULL,
    -- nothing at or above this tick was ever granted of the number
    reserved_until BIGINT NOT NULL,
    -- when it was granted or renewed last, by the store's clock
    granted_ms BIGINT NOT NULL,
    -- whether the namespace's range has the number. It is a column so that a search by rest meets only
    -- those: numbers that left the range often rested longest, and each search would skip them one by
    -- one.
    inside BOOLEAN NOT NULL DEFAULT TRUE,
    PRIMARY KEY (namespace, worker)
);

-- One index per file in `lookups`. The last two contain every column of their order: if many rows have the
-- same time, as after a restart of everything, each acquire would have to sort the rest.
CREATE INDEX workers_mine ON leafid.workers (namespace, key) WHERE key IS NOT NULL;
CREATE INDEX workers_own ON leafid.workers (namespace, owner, inside) WHERE sticky = TRUE;
CREATE INDEX workers_rested ON leafid.workers (namespace, reserved_until, worker)
    WHERE sticky = FALSE AND inside = TRUE;
CREATE INDEX workers_kept ON leafid.workers (namespace, granted_ms, worker)
    WHERE sticky = TRUE AND inside = TRUE;
