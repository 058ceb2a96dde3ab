//! The fields of the server's own objects, beside the core's tables.

use leafid_core::NAME_BYTES;
use leafid_core::registry::{Namespace, TagRow, WorkerRow};
use leafid_store::dispense;
use leafid_wire::{FieldForm, FieldSchema, Fields, Presence, strict};

/// The fields of an object, in their order.
pub type Object = &'static [Part];

#[derive(Clone, Copy)]
pub enum Part {
    /// Those of a table of the core's.
    Core(&'static [FieldSchema]),
    /// Those of another object.
    Same(Object),
    /// One of the server's own.
    Own(Field),
}

#[derive(Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    pub form: Form,
    pub presence: Presence,
    pub about: &'static str,
}

#[derive(Clone, Copy)]
pub enum Form {
    /// What the core's tables know.
    Core(FieldForm),
    Words,
    OneOf(&'static [&'static str]),
    Code,
    Ids,
    Within(Object),
    Rows(Object),
}

impl From<&FieldSchema> for Field {
    fn from(field: &FieldSchema) -> Field {
        let FieldSchema { name, form, presence, about } = *field;
        Field { name, form: Form::Core(form), presence, about }
    }
}

/// A field that is always there.
const fn is(name: &'static str, form: Form, about: &'static str) -> Part {
    Part::Own(Field { name, form, presence: Presence::Required, about })
}

/// A field that may be absent.
const fn may(name: &'static str, form: Form, about: &'static str) -> Part {
    Part::Own(Field { name, form, presence: Presence::Optional, about })
}

const fn number(least: u64, most: u64) -> FieldForm {
    FieldForm::Number { least, most }
}

pub const BIG: FieldForm = FieldForm::Big { least: 0 };
pub const NAME: FieldForm = FieldForm::Name;
pub const WORKER: FieldForm = number(0, u32::MAX as u64);
const BASE32: Form = Form::Core(FieldForm::Text { least: 13, most: 13 });
const COUNT: Form = Form::Core(number(0, strict::EXACT));
const ENDS: Form = Form::Core(BIG);
const FLAG: Form = Form::Core(FieldForm::Flag);
const MILLIS: Form = Form::Core(FieldForm::Millis);
const NAMED: Form = Form::Core(NAME);
const READINESS: Form = Form::OneOf(&["ok", "degraded"]);
const STATE: Form = Form::OneOf(&["ok", "degraded", "refused", "unavailable"]);
const TOKEN: Form = Form::Core(FieldForm::Token);
const OWNER: Form = Form::Core(FieldForm::Text { least: 1, most: NAME_BYTES });
const PAUSE: Form = Form::Core(number(0, u32::MAX as u64));
const WORKER_NUMBER: Form = Form::Core(WORKER);
const WRITTEN: Form = Form::OneOf(&["none", "written", "failing"]);

const NOW: &str = "The store's time, in ms since 1970.";
const GENERATION: &str = "How often it was fenced, as far as is known.";
const IN_STATES: &str = "How many numbers of the range are in each state.";
const STOPPED: &str = "The tags of which a holder has shown more than the store ever granted: nothing is \
                       leased from them.";

pub const COUNTED: Object = &[is("count", Form::Core(number(1, dispense::MOST)), "How many IDs.")];
pub const IDS: Object = &[is("ids", Form::Ids, "The IDs, ascending.")];
pub const ADVANCE: Object =
    &[is("to", ENDS, "The next number that the tag is to grant: not below the one it has now.")];
pub const ASIDE: Object = &[
    may("owner", OWNER, "Who is to have the number afterwards; anybody if absent."),
    may(
        "until_ms",
        MILLIS,
        "The last time stamped with it outside, in ms since 1970; none if absent.",
    ),
];

pub const TAG: Object = &[
    is("tag", NAMED, "The name of the tag."),
    Part::Core(TagRow::SCHEMA),
    is("remaining", ENDS, "How many numbers the tag has left."),
];
pub const TAGS: Object = &[is("tags", Form::Rows(TAG), "The tags, by name.")];
pub const NAMESPACE: Object = &[
    is("namespace", NAMED, "The name of the namespace."),
    Part::Core(Namespace::SCHEMA),
    is("last_ms", MILLIS, "The last time that the layout holds, in ms since 1970."),
];
pub const NAMESPACES: Object =
    &[is("namespaces", Form::Rows(NAMESPACE), "The namespaces, by name.")];
pub const WORKER_ROW: Object = &[
    is("worker", WORKER_NUMBER, "The worker number."),
    is("held", FLAG, "Whether a process holds the number."),
    Part::Core(WorkerRow::SCHEMA),
    is("reserved_until_ms", MILLIS, "The time of `reserved_until`, in ms since 1970."),
];
pub const WORKERS: Object = &[
    is("now_ms", MILLIS, NOW),
    is("workers", Form::Rows(WORKER_ROW), "The numbers that were ever handed out or set aside."),
];
pub const DECODED: Object = &[
    is("id", ENDS, "The ID."),
    is("namespace", NAMED, "The namespace that issued it."),
    is("time", Form::Words, "The time within the ID, in UTC."),
    is("time_ms", MILLIS, "The time within the ID, in ms since 1970."),
    is("tick", ENDS, "The tick within the ID."),
    is("worker", WORKER_NUMBER, "The worker number within the ID."),
    is("sequence", ENDS, "The sequence within the ID."),
    is("base32", BASE32, "The ID as 13 letters and digits that sort as the IDs do."),
    is("layout", Form::Core(FieldForm::Layout), "The layout of the namespace."),
];

pub const ALIVE: Object = &[is("status", Form::OneOf(&["ok"]), "Always `ok`.")];
const JOURNAL: Object = &[
    may("journal", WRITTEN, "Whether a journal is kept, and can be written."),
    may("journal_since_ms", MILLIS, "Since when there is one."),
    may("journal_apart", FLAG, "Whether it lies on another disk than the store."),
];
const STOPPED_TAG: Object = &[
    is("tag", NAMED, "The tag."),
    is("max_id", ENDS, "Its next number that was never granted, as the store knows."),
    is("claimed_until", ENDS, "The highest end that a holder said to have."),
];
/// Without a token where one is wanted there is the status alone.
pub const READY: Object = &[
    is("status", READINESS, "`degraded` while a tag stands below what a holder has of it."),
    may("store", TOKEN, "The store's id."),
    may("now_ms", MILLIS, NOW),
    may("generation", COUNT, GENERATION),
    may("fenced_until_ms", MILLIS, "While it is to come: no window begins before it."),
    Part::Same(JOURNAL),
    may("went_back", Form::Rows(STOPPED_TAG), STOPPED),
];
pub const PROBLEM: Object = &[
    is("type", Form::OneOf(&["about:blank"]), "Always `about:blank`."),
    is("title", Form::Words, "What to do about problems of this code."),
    is("status", Form::Core(number(400, 599)), "The HTTP status."),
    is("code", Form::Code, "What went wrong, as one word."),
    is("detail", Form::Words, "What happened, with the figures, and what to do."),
    is("request_id", Form::Words, "As in `X-Request-Id` and in the server's log."),
    may("retry_after_ms", PAUSE, "How long to wait before asking again, in ms."),
    may("free_at_ms", MILLIS, "When the first worker number is free."),
];

const COUNTS: Object = &[
    is("fresh", COUNT, "Never handed out."),
    is("free", COUNT, "The last window is over, and anybody may have the number."),
    is("kept", COUNT, "The last window is over, and an owner keeps the number."),
    is("resting", COUNT, "Nobody holds the number, and its window is not over yet."),
    is("held", COUNT, "A process has a window on the number."),
    is("aside", COUNT, "The number is used outside of leafid."),
];
pub const NUMBERS: Object = &[
    is("namespace", NAMED, "The name of the namespace."),
    is("now_ms", MILLIS, NOW),
    is("first", COUNT, "The first number of its range."),
    is(
        "states",
        Form::Words,
        "A letter for each number from `first` on, 65536 at most: `.` fresh, `f` free, `k` kept, `r` \
         resting, `h` held, `a` aside.",
    ),
    is("counts", Form::Within(COUNTS), IN_STATES),
    is("holders", Form::Rows(WORKER_ROW), "Those with a window: the 500 granted last, by number."),
    is("more_holders", FLAG, "Whether there are more of them."),
];

const STORE: Object = &[
    is("status", STATE, "Whether it grants, and whether tags of it went back."),
    is("place", Form::Words, "Where it lies."),
    is("id", TOKEN, "The store's id; zeros before it is open."),
    is("generation", COUNT, GENERATION),
    may("now_ms", MILLIS, NOW),
    may("detail", Form::Words, "Why it grants nothing, and what to do."),
    may("waiting", COUNT, "How many requests wait for it."),
    Part::Same(JOURNAL),
    may("write_p50_us", COUNT, "Half of all writes took no longer, in µs."),
    may("write_p99_us", COUNT, "99 of 100 writes took no longer, in µs."),
];
const RANGE: Object =
    &[is("start", ENDS, "The first number."), is("end", ENDS, "One more than the last number.")];
const LEASED: Object = &[Part::Same(RANGE), is("at_ms", MILLIS, "When it was leased.")];
const AT_HAND: Object = &[
    is("next", ENDS, "The next number."),
    is("ranges", Form::Rows(RANGE), "The range that it lies in, and the one behind it."),
];
const SIGHTED_TAG: Object = &[
    Part::Same(TAG),
    may("per_day", ENDS, "Numbers leased in a day at the present rate; absent until seen twice."),
    may("at_hand", Form::Within(AT_HAND), "What this server itself hands out."),
    is("recent", Form::Rows(LEASED), "The last leases by this server, the newest last."),
];
const SIGHTED_NAMESPACE: Object = &[
    Part::Same(NAMESPACE),
    is("numbers", Form::Within(COUNTS), IN_STATES),
    may("more_per_day", ENDS, "As much more is in use after a day; absent until seen twice."),
];
pub const OVERVIEW: Object = &[
    is("version", Form::Words, "The server's version."),
    is("store", Form::Within(STORE), "The store."),
    may("tags", Form::Rows(SIGHTED_TAG), "The first 1000 by name, and those that are leased from."),
    is("more_tags", FLAG, "Whether there are other tags."),
    may("namespaces", Form::Rows(SIGHTED_NAMESPACE), "The first 100 by name."),
    is("went_back", Form::Rows(STOPPED_TAG), STOPPED),
];
