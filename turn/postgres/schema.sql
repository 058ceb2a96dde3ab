-- The tables of a registry in a PostgreSQL database, in a schema of their own: an application's
-- `tags` may stand beside them. Every program that opens them (the server, a host) reads and writes
-- them and decides by the core's rules; `meta.version` counts their versions. Names are compared
-- byte by byte, as everywhere.
CREATE SCHEMA IF NOT EXISTS leafid;

-- The store itself: one row.
CREATE TABLE leafid.meta (
    one SMALLINT PRIMARY KEY CHECK (one = 1),
    -- the version of these tables
    version INTEGER NOT NULL,
    -- the random id that every grant carries
    store BYTEA NOT NULL CHECK (octet_length(store) = 16),
    created_ms BIGINT NOT NULL,
    -- above 0: this store replaces a lost one or was fenced, and grants no window that begins before
    -- this time
    floor_ms BIGINT NOT NULL DEFAULT 0,
    -- the latest time that was written for its own sake: a start far above it is not believed
    beat_ms BIGINT NOT NULL DEFAULT 0,
    -- how often the store was fenced: it had lost something, and every line was moved past that
    generation BIGINT NOT NULL DEFAULT 0,
    -- when it was fenced last, and what the database called itself then
    fenced_ms BIGINT NOT NULL DEFAULT 0,
    fenced_on TEXT NOT NULL DEFAULT ''
);

-- Lines of numbers. A deleted tag leaves its row: a tag made again goes on above it. Half of each
-- page is left free, so that a row that is written thousands of times a second stays on its page and
-- its index is left alone.
CREATE TABLE leafid.tags (
    tag TEXT COLLATE "C" PRIMARY KEY,
    -- the next number that was never granted
    max_id BIGINT NOT NULL CHECK (max_id > 0),
    step BIGINT NOT NULL,
    max_step BIGINT NOT NULL,
    deleted BOOLEAN NOT NULL,
    -- the upper end: one more than the last number that may be granted; null where there is none
    until BIGINT,
    -- the highest end that a holder claimed to have while the row stood below; while it lies above
    -- `max_id` nothing is granted; null where nothing was claimed since the last advance
    claimed_until BIGINT
) WITH (fillfactor = 50);

-- Sets of worker numbers that share one layout.
CREATE TABLE leafid.namespaces (
    namespace TEXT COLLATE "C" PRIMARY KEY,
    epoch_ms BIGINT NOT NULL,
    tick_ms BIGINT NOT NULL,
    time_bits SMALLINT NOT NULL,
    worker_bits SMALLINT NOT NULL,
    sequence_bits SMALLINT NOT NULL,
    max_window_ms BIGINT NOT NULL,
    -- the numbers that may be handed out: start <= worker < end
    workers_start BIGINT NOT NULL,
    workers_end BIGINT NOT NULL,
    -- no window begins below this tick
    floor BIGINT NOT NULL,
    -- every number from workers_start up to this one has a row
    used_until BIGINT NOT NULL
);

-- Worker numbers that were handed out at least once. A row is never deleted.
CREATE TABLE leafid.workers (
    namespace TEXT COLLATE "C" NOT NULL,
    worker BIGINT NOT NULL,
    -- a label for people; empty after an operator's release
    owner TEXT COLLATE "C" NOT NULL,
    -- the owner keeps the number between its windows
    sticky BOOLEAN NOT NULL,
    -- the request id of the acquire whose lease this is
    key BYTEA CHECK (octet_length(key) = 16),
    -- the first tick of the lease
    held_from BIGINT NOT NULL,
    -- nothing at or above this tick was ever granted on the number
    reserved_until BIGINT NOT NULL,
    -- when it was granted or renewed last, by the store's clock
    granted_ms BIGINT NOT NULL,
    -- the namespace's range has the number. It stands here so that a search by rest meets only
    -- numbers that may be handed out: those that left the range often rested longest, and would be
    -- passed one by one every time.
    inside BOOLEAN NOT NULL DEFAULT TRUE,
    PRIMARY KEY (namespace, worker)
);

-- One index per file in `lookups`. The last two name every column of their order: where many rows have
-- one time, as after a restart of everything, the rest would be sorted for each acquire.
CREATE INDEX workers_mine ON leafid.workers (namespace, key) WHERE key IS NOT NULL;
CREATE INDEX workers_own ON leafid.workers (namespace, owner, inside) WHERE sticky = TRUE;
CREATE INDEX workers_rested ON leafid.workers (namespace, reserved_until, worker)
    WHERE sticky = FALSE AND inside = TRUE;
CREATE INDEX workers_kept ON leafid.workers (namespace, granted_ms, worker)
    WHERE sticky = TRUE AND inside = TRUE;
