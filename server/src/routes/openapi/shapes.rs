//! The objects that are the server's own, or the core's with something beside it.

use leafid_core::registry::{Namespace, TagRow, WorkerRow};
use leafid_core::{Code, FieldForm, FieldSchema, Fields, NAME_BYTES, Presence, strict};
use leafid_store::dispense;

use super::schema::Shape;

pub const COUNT: FieldForm = FieldForm::Number { least: 0, most: strict::EXACT };
pub const NAME: FieldForm = FieldForm::Name;
pub const BIG: FieldForm = FieldForm::Big { least: 0 };
const WORKER: FieldForm = FieldForm::Number { least: 0, most: u32::MAX as u64 };

pub const NOW: FieldSchema =
    field("now_ms", FieldForm::Millis, "The store's time, in ms since 1970.");

/// A field that is always there.
pub const fn field(name: &'static str, form: FieldForm, about: &'static str) -> FieldSchema {
    FieldSchema { name, form, presence: Presence::Required, about }
}

/// The body of a request for single IDs.
pub fn count() -> Shape {
    let form = FieldForm::Number { least: 1, most: dispense::MOST };
    Shape::of(&[field("count", form, "How many IDs.")])
}

/// The body of an advance.
pub fn to() -> Shape {
    let to = "Where the tag is to stand: the next number that it grants, not below its position and \
              not above its `until`.";
    Shape::of(&[field("to", BIG, to)])
}

/// Single IDs.
pub fn ids() -> Shape {
    Shape::default().ids("ids", "The IDs, ascending.")
}

/// Nothing.
pub fn nothing() -> Shape {
    Shape::default()
}

/// A tag.
pub fn tag() -> Shape {
    Shape::of(&[field("tag", NAME, "The name of the tag.")]).and(TagRow::SCHEMA).and(&[field(
        "remaining",
        BIG,
        "How many numbers the tag has left.",
    )])
}

/// A list of tags.
pub fn tags() -> Shape {
    Shape::default().rows("tags", "The tags, by name.", tag())
}

/// A namespace.
pub fn namespace() -> Shape {
    let last = "The last time that the layout holds, in ms since 1970.";
    Shape::of(&[field("namespace", NAME, "The name of the namespace.")])
        .and(Namespace::SCHEMA)
        .and(&[field("last_ms", FieldForm::Millis, last)])
}

/// A list of namespaces.
pub fn namespaces() -> Shape {
    Shape::default().rows("namespaces", "The namespaces, by name.", namespace())
}

/// The body that sets a worker number aside.
pub fn aside() -> Shape {
    let owner = "Who is to have the number afterwards; anybody if absent.";
    let until = "Nothing outside of leafid stamps a later time with the number, in ms since 1970. \
                 Absent: that may still be, and nobody is granted it.";
    let owner = field("owner", FieldForm::Text { least: 1, most: NAME_BYTES }, owner);
    Shape::of(&[owner, field("until_ms", FieldForm::Millis, until)])
        .maybe("owner")
        .maybe("until_ms")
}

/// A worker number of a namespace. It never shows a key.
pub fn worker() -> Shape {
    let until = "The time of `reserved_until`, in ms since 1970.";
    Shape::of(&[
        field("worker", WORKER, "The worker number."),
        field("held", FieldForm::Flag, "Whether a process holds the number."),
    ])
    .and(WorkerRow::SCHEMA)
    .without("key")
    .and(&[field("reserved_until_ms", FieldForm::Millis, until)])
}

/// The worker numbers of a namespace.
pub fn workers() -> Shape {
    let every = "The worker numbers that were ever handed out or set aside.";
    Shape::of(&[NOW]).rows("workers", every, worker())
}

/// What an ID is made of.
pub fn decoded() -> Shape {
    let text = |length| FieldForm::Text { least: length, most: length };
    Shape::of(&[
        field("id", BIG, "The ID."),
        field("namespace", NAME, "The namespace that issued it."),
    ])
    .words("time", "The time within the ID, in UTC.")
    .and(&[
        field("time_ms", FieldForm::Millis, "The time within the ID, in ms since 1970."),
        field("tick", BIG, "The tick within the ID."),
        field("worker", WORKER, "The worker number within the ID."),
        field("sequence", BIG, "The sequence within the ID."),
        field("base32", text(13), "The ID as 13 letters and digits that sort as the IDs do."),
        field("layout", FieldForm::Layout, "The layout of the namespace."),
    ])
}

/// That the process lives.
pub fn alive() -> Shape {
    Shape::default().one_of("status", "Always `ok`.", vec!["ok"])
}

/// A shape, and what is said of a store's journal.
pub fn with_journal(shape: Shape) -> Shape {
    let states = vec!["none", "written", "failing"];
    let shape = shape.one_of("journal", "Whether a journal is kept, and can be written.", states);
    let where_it_is = [
        field("journal_since_ms", FieldForm::Millis, "Since when there is one."),
        field("journal_apart", FieldForm::Flag, "Whether it lies on another disk than the store."),
    ];
    let shape = shape.and(&where_it_is);
    ["journal", "journal_since_ms", "journal_apart"].into_iter().fold(shape, Shape::maybe)
}

/// That leases can be had.
pub fn ready() -> Shape {
    let status = "`degraded` while a line stands below what a holder has of it.";
    let fenced = "While it is to come: no window begins before it.";
    let ready = Shape::default().one_of("status", status, vec!["ok", "degraded"]).and(&[
        field("store", FieldForm::Token, "The store's id."),
        NOW,
        field("generation", COUNT, "How often it was fenced, as far as is known."),
        field("fenced_until_ms", FieldForm::Millis, fenced),
    ]);
    let ready = with_journal(ready).rows("went_back", STOPPED, stopped());
    // Without a token where one is wanted there is the status alone.
    let told = ["store", "now_ms", "generation", "fenced_until_ms", "went_back"];
    told.into_iter().fold(ready, Shape::maybe)
}

/// What is said of tags that are stopped.
pub const STOPPED: &str = "The tags of which a holder has shown more than the store ever granted: \
                           nothing is leased from them.";

/// A tag that is stopped.
pub fn stopped() -> Shape {
    Shape::of(&[
        field("tag", NAME, "The tag."),
        field("max_id", BIG, "Its next number that was never granted, as the store knows."),
        field("claimed_until", BIG, "The highest end that a holder said to have."),
    ])
}

/// Why something was not done.
pub fn problem() -> Shape {
    let pause = FieldForm::Number { least: 0, most: u32::MAX.into() };
    let codes = Code::ALL.iter().filter(|code| code.http_status().is_some());
    Shape::default()
        .one_of("type", "Always `about:blank`.", vec!["about:blank"])
        .words("title", "What to do about problems of this code.")
        .and(&[field("status", FieldForm::Number { least: 400, most: 599 }, "The HTTP status.")])
        .one_of("code", "What went wrong, as one word.", codes.map(|code| code.as_str()).collect())
        .words("detail", "What happened, with the figures, and what to do.")
        .words("request_id", "Which request it was: as in `X-Request-Id` and in the server's log.")
        .and(&[
            field("retry_after_ms", pause, "How long to wait before asking again, in ms."),
            field("free_at_ms", FieldForm::Millis, "When the first worker number is free."),
        ])
        .maybe("retry_after_ms")
        .maybe("free_at_ms")
}
