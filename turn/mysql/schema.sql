-- The tables of a registry in a MySQL or MariaDB database of their own. Every program that opens them
-- (the server, a host) reads and writes them and decides by the core's rules; `meta.version` is the
-- version of the tables. Names are compared byte by byte, as everywhere; the owner, which may be any text,
-- is kept as bytes, because MySQL ignores blanks at the end of a text. A statement that makes a table is a
-- transaction of its own here: the next `init` completes tables that were half made.

-- The store itself: one row, written when everything else exists.
CREATE TABLE IF NOT EXISTS {meta} (
    one TINYINT PRIMARY KEY CHECK (one = 1),
    -- the version of these tables
    version INTEGER NOT NULL,
    -- the random id that every grant contains
    store BINARY(16) NOT NULL,
    created_ms BIGINT NOT NULL,
    -- above 0: this store replaces a lost one or was fenced, and no window begins before this time
    floor_ms BIGINT NOT NULL DEFAULT 0,
    -- the latest time of use: a start with a clock far above it is refused
    beat_ms BIGINT NOT NULL DEFAULT 0,
    -- how often the store was fenced: it had lost grants, and every tag and number was moved past them
    generation BIGINT NOT NULL DEFAULT 0,
    -- when it was fenced last
    fenced_ms BIGINT NOT NULL DEFAULT 0
) ENGINE = InnoDB;

-- The store's servers, each with the record that it writes with each of its writes: by these they know that
-- nothing that any of them wrote is missing.
CREATE TABLE IF NOT EXISTS {servers} (
    server BINARY(16) PRIMARY KEY,
    -- the number of the record's last write
    beat VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    record MEDIUMTEXT CHARACTER SET utf8mb4 NOT NULL
) ENGINE = InnoDB;

-- Tags. A deleted tag leaves its row, so that a tag of its name goes on above it.
CREATE TABLE IF NOT EXISTS {tags} (
    tag VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
    -- the next number that was never granted
    max_id BIGINT NOT NULL CHECK (max_id > 0),
    step BIGINT NOT NULL,
    max_step BIGINT NOT NULL,
    deleted BOOLEAN NOT NULL,
    -- the upper end: one more than the last number that may be granted; null for none
    `until` BIGINT,
    -- the highest end that a holder claimed above the position; while it is above `max_id` nothing is
    -- granted; null without a claim since the last advance
    claimed_until BIGINT
) ENGINE = InnoDB;

-- Namespaces: sets of worker numbers with one layout.
CREATE TABLE IF NOT EXISTS {namespaces} (
    namespace VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
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
) ENGINE = InnoDB;

-- Worker numbers that were granted at least once. A row is never deleted.
CREATE TABLE IF NOT EXISTS {workers} (
    namespace VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    worker BIGINT NOT NULL,
    -- a label for people; empty after an operator's release
    owner VARBINARY(128) NOT NULL,
    -- the owner keeps the number between its windows
    sticky BOOLEAN NOT NULL,
    -- the request id of the acquire that the lease was granted to
    `key` BINARY(16),
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
    PRIMARY KEY (namespace, worker),
    -- One index per file in `lookups`.
    KEY workers_mine (namespace, `key`),
    KEY workers_own (namespace, sticky, owner, inside),
    KEY workers_rested (namespace, sticky, inside, reserved_until),
    KEY workers_kept (namespace, sticky, inside, granted_ms)
) ENGINE = InnoDB;
