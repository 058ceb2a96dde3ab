//! The fields of the server's own objects, beside the wire's tables.

use leafid_core::NAME_BYTES;
use leafid_core::registry::{Namespace, TagRow, WorkerRow};
use leafid_store::dispense;
use leafid_wire::FieldForm::{self, Flag, Ids, Layout, Millis, Name, Rows, Token, Words};
use leafid_wire::{FieldSchema, Fields, Object, Presence, strict};

type Table = &'static [FieldSchema];

/// A field that is always there.
const fn is(name: &'static str, form: FieldForm, about: &'static str) -> FieldSchema {
    FieldSchema { name, form, presence: Presence::Required, about }
}

/// A field that may be absent.
const fn may(name: &'static str, form: FieldForm, about: &'static str) -> FieldSchema {
    FieldSchema { name, form, presence: Presence::Optional, about }
}

const fn number(least: u64, most: u64) -> FieldForm {
    FieldForm::Number { least, most }
}

pub const BIG: FieldForm = FieldForm::Big { least: 0 };
pub const SMALL: FieldForm = number(0, u32::MAX as u64);
const BASE32: FieldForm = FieldForm::Text { least: 13, most: 13 };
const COUNT: FieldForm = number(0, strict::EXACT);
const READINESS: FieldForm = FieldForm::OneOf(&["ok", "degraded"]);
const STATE: FieldForm = FieldForm::OneOf(&["ok", "degraded", "refused", "unavailable"]);
const OWNER: FieldForm = FieldForm::Text { least: 1, most: NAME_BYTES };
const WRITTEN: FieldForm = FieldForm::OneOf(&["none", "written", "failing"]);

const NOW: &str = "The store's time, in ms since 1970.";
const GENERATION: &str = "How often it was fenced, as far as is known.";
const IN_STATES: &str = "How many numbers of the range are in each state.";
const STOPPED: &str = "The tags of which a holder has shown more than the store ever granted: nothing is \
                       leased from them.";

pub const COUNTED: Table = &[is("count", number(1, dispense::MOST), "How many IDs.")];
pub const IDS: Table = &[is("ids", Ids, "The IDs, ascending.")];
pub const ADVANCE: Table =
    &[is("to", BIG, "The next number that the tag is to grant: not below the one it has now.")];
pub const ASIDE: Table = &[
    may("owner", OWNER, "Who is to have the number afterwards; anybody if absent."),
    may(
        "until_ms",
        Millis,
        "The last time stamped with it outside, in ms since 1970; none if absent.",
    ),
];

pub const TAG: Object = &[
    &[is("tag", Name, "The name of the tag.")],
    TagRow::SCHEMA,
    &[is("remaining", BIG, "How many numbers the tag has left.")],
];
pub const TAGS: Table = &[is("tags", Rows(TAG), "The tags, by name.")];
pub const NAMESPACE: Object = &[
    &[is("namespace", Name, "The name of the namespace.")],
    Namespace::SCHEMA,
    &[is("last_ms", Millis, "The last time that the layout holds, in ms since 1970.")],
];
pub const NAMESPACES: Table = &[is("namespaces", Rows(NAMESPACE), "The namespaces, by name.")];
pub const WORKER_ROW: Object = &[
    &[
        is("worker", SMALL, "The worker number."),
        is("held", Flag, "Whether it has a lease; the holder may be gone."),
    ],
    WorkerRow::SCHEMA,
    &[is("reserved_until_ms", Millis, "The time of `reserved_until`, in ms since 1970.")],
];
pub const WORKERS: Table = &[
    is("now_ms", Millis, NOW),
    is("workers", Rows(WORKER_ROW), "The numbers that were ever handed out or set aside."),
];
pub const DECODED: Table = &[
    is("id", BIG, "The ID."),
    is("namespace", Name, "The namespace that issued it."),
    is("time", Words, "The time within the ID, in UTC."),
    is("time_ms", Millis, "The time within the ID, in ms since 1970."),
    is("tick", BIG, "The tick within the ID."),
    is("worker", SMALL, "The worker number within the ID."),
    is("sequence", BIG, "The sequence within the ID."),
    is("base32", BASE32, "The ID as 13 letters and digits that sort as the IDs do."),
    is("layout", Layout, "The layout of the namespace."),
];

const NAMED_SERVER: Table =
    &[is("name", Words, "The name of its machine."), is("id", Token, "Its id.")];
/// The store's servers, as this one sees them.
const REGISTER: Table = &[
    may("servers", COUNT, "How many servers with a journal the store has."),
    may(
        "waits_for",
        Rows(&[NAMED_SERVER]),
        "Those that have written nothing for 2 s and whose ack this one waits for.",
    ),
];
const SERVER: Object = &[
    NAMED_SERVER,
    &[
        is("kind", FieldForm::OneOf(&["member", "guest"]), "Whether it keeps a journal."),
        may(
            "state",
            FieldForm::OneOf(&["running", "silent", "stopped", "removed"]),
            "`silent`: it has written nothing for 2 s; `removed`: nobody waits for it; absent where \
             nobody watches it.",
        ),
        is("beat", Words, "The number of the last write of its record."),
        is("waits_for", Rows(&[NAMED_SERVER]), "Those whose ack it waits for."),
    ],
];
pub const SERVERS: Table = &[is("servers", Rows(SERVER), "The servers, by id.")];
pub const ALIVE: Table = &[is("status", FieldForm::OneOf(&["ok"]), "Always `ok`.")];
const JOURNAL: Table = &[
    may("journal", WRITTEN, "Whether a journal is kept, and can be written."),
    may("journal_since_ms", Millis, "Since when there is one."),
    may("journal_apart", Flag, "Whether it lies on another disk than the store."),
];
const STOPPED_TAG: Table = &[
    is("tag", Name, "The tag."),
    is("max_id", BIG, "Its next number that was never granted, as the store knows."),
    is("claimed_until", BIG, "The highest end that a holder said to have."),
];
/// Without a token where one is wanted there is the status alone.
pub const READY: Object = &[
    &[
        is("status", READINESS, "`degraded` while a tag stands below what a holder has of it."),
        may("store", Token, "The store's id."),
        may("now_ms", Millis, NOW),
        may("generation", COUNT, GENERATION),
        may("fenced_until_ms", Millis, "While it is to come: no window begins before it."),
    ],
    JOURNAL,
    REGISTER,
    &[may("went_back", Rows(&[STOPPED_TAG]), STOPPED)],
];
pub const PROBLEM: Table = &[
    is("type", FieldForm::OneOf(&["about:blank"]), "Always `about:blank`."),
    is("title", Words, "What to do about problems of this code."),
    is("status", number(400, 599), "The HTTP status."),
    is("code", FieldForm::Code, "What went wrong, as one word."),
    is("detail", Words, "What happened, with the figures, and what to do."),
    is("request_id", Words, "As in `X-Request-Id` and in the server's log."),
    may("retry_after_ms", SMALL, "How long to wait before asking again, in ms."),
    may("free_at_ms", Millis, "When the first worker number is free."),
];

const COUNTS: Table = &[
    is("fresh", COUNT, "Never handed out."),
    is("free", COUNT, "The last window is over, and anybody may have the number."),
    is("kept", COUNT, "The last window is over, and an owner keeps the number."),
    is("resting", COUNT, "Nobody holds the number, and its window is not over yet."),
    is("held", COUNT, "A process has a window on the number."),
    is("aside", COUNT, "The number is used outside of leafid."),
];
pub const NUMBERS: Table = &[
    is("namespace", Name, "The name of the namespace."),
    is("now_ms", Millis, NOW),
    is("counts", FieldForm::Object(&[COUNTS]), IN_STATES),
    is("holders", Rows(WORKER_ROW), "Those with a window: the 500 granted last, by number."),
    is("more_holders", Flag, "Whether there are more of them."),
];

const STORE: Object = &[
    &[
        is("status", STATE, "Whether it grants, and whether tags of it went back."),
        is("place", Words, "Where it lies."),
        is("id", Token, "The store's id; zeros before it is open."),
        is("generation", COUNT, GENERATION),
        may("now_ms", Millis, NOW),
        may("detail", Words, "Why it grants nothing, and what to do."),
        may("waiting", COUNT, "How many requests wait for it."),
    ],
    JOURNAL,
    REGISTER,
    &[
        may("write_p50_us", COUNT, "Half of all writes took no longer, in µs."),
        may("write_p99_us", COUNT, "99 of 100 writes took no longer, in µs."),
    ],
];
const RANGE: Table =
    &[is("start", BIG, "The first number."), is("end", BIG, "One more than the last number.")];
const LEASED: Object = &[RANGE, &[is("at_ms", Millis, "When it was leased.")]];
const AT_HAND: Table = &[
    is("next", BIG, "The next number."),
    is("ranges", Rows(&[RANGE]), "The range that it lies in, and the one behind it."),
];
const SIGHTED_TAG: Object = &[
    TAG[0],
    TAG[1],
    TAG[2],
    &[
        may(
            "per_day",
            BIG,
            "Numbers leased in a day at the present rate; absent until seen twice.",
        ),
        may("at_hand", FieldForm::Object(&[AT_HAND]), "What this server itself hands out."),
        is("recent", Rows(LEASED), "The last leases by this server, the newest last."),
    ],
];
const SIGHTED_NAMESPACE: Object = &[
    NAMESPACE[0],
    NAMESPACE[1],
    NAMESPACE[2],
    &[
        is("numbers", FieldForm::Object(&[COUNTS]), IN_STATES),
        may("more_per_day", BIG, "As much more is in use after a day; absent until seen twice."),
    ],
];
pub const OVERVIEW: Table = &[
    is("version", Words, "The server's version."),
    is("store", FieldForm::Object(STORE), "The store."),
    may("tags", Rows(SIGHTED_TAG), "The first 1000 by name, and those that are leased from."),
    is("more_tags", Flag, "Whether there are other tags."),
    may("namespaces", Rows(SIGHTED_NAMESPACE), "The first 100 by name."),
    is("went_back", Rows(&[STOPPED_TAG]), STOPPED),
];
