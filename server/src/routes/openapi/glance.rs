//! The objects that the dashboard shows.

use leafid_core::FieldForm;

use super::schema::Shape;
use super::shapes::{
    BIG, COUNT, NAME, NOW, STOPPED, field, namespace, stopped, tag, with_journal, worker,
};

const MILLIS: FieldForm = FieldForm::Millis;

/// How many worker numbers are in each state.
fn counts() -> Shape {
    Shape::of(&[
        field("fresh", COUNT, "Never handed out."),
        field("free", COUNT, "The last window is over, and anybody may have the number."),
        field("kept", COUNT, "The last window is over, and an owner keeps the number."),
        field("resting", COUNT, "Nobody holds the number, and its window is not over yet."),
        field("held", COUNT, "A process has a window on the number."),
        field("aside", COUNT, "The number is used outside of leafid."),
    ])
}

/// The worker numbers of a namespace.
pub fn numbers() -> Shape {
    let states = "A letter for each number from `first` on, 65536 at most: `.` fresh, `f` free, `k` \
                  kept, `r` resting, `h` held, `a` aside.";
    let holders = "Numbers whose windows are not over: the 500 that were granted last, by number.";
    let more = field("more_holders", FieldForm::Flag, "Whether there are more of them.");
    Shape::of(&[
        field("namespace", NAME, "The name of the namespace."),
        NOW,
        field("first", COUNT, "The first number of its range."),
    ])
    .words("states", states)
    .within("counts", "How many numbers of the range are in each state.", counts())
    .rows("holders", holders, worker())
    .and(&[more])
}

fn store() -> Shape {
    let states = vec!["ok", "degraded", "refused", "unavailable"];
    let store = Shape::default()
        .one_of("status", "Whether it grants, and whether lines of it went back.", states)
        .words("place", "Where it lies.")
        .and(&[
            field("id", FieldForm::Token, "The store's id; zeros before it is open."),
            field("generation", COUNT, "How often it was fenced, as far as is known."),
            NOW,
        ])
        .words("code", "Why it grants nothing, as one word.")
        .words("detail", "Why it grants nothing, and what to do.")
        .and(&[field("waiting", COUNT, "How many requests wait for it.")]);
    let store = with_journal(store).and(&[
        field("position", BIG, "How far its database has come; 0 where it does not tell."),
        field("write_p50_us", COUNT, "Half of all writes took no longer, in µs."),
        field("write_p99_us", COUNT, "99 of 100 writes took no longer, in µs."),
    ]);
    let told = ["now_ms", "code", "detail", "waiting", "position"];
    let times = ["write_p50_us", "write_p99_us"];
    told.into_iter().chain(times).fold(store, Shape::maybe)
}

fn range() -> Shape {
    Shape::of(&[
        field("start", BIG, "The first number."),
        field("end", BIG, "One more than the last number."),
    ])
}

fn sighted_tag() -> Shape {
    let per_day = "How many numbers are leased in a day at the rate of the last quarter of an hour; \
                   absent until the tag was seen twice.";
    let at_hand = Shape::of(&[field("next", BIG, "The next number.")]).rows(
        "ranges",
        "The range that it lies in, and the one behind it.",
        range(),
    );
    let recent = range().and(&[field("at_ms", MILLIS, "When it was leased.")]);
    tag()
        .and(&[field("per_day", BIG, per_day)])
        .within("at_hand", "What this server itself hands out.", at_hand)
        .rows("recent", "The last leases by this server, the newest last.", recent)
        .maybe("per_day")
        .maybe("at_hand")
}

fn sighted_namespace() -> Shape {
    let more = "How many more numbers are in use after a day at the rate of the last quarter of an \
                hour; absent until the namespace was seen twice.";
    namespace()
        .within("numbers", "How many numbers of the range are in each state.", counts())
        .and(&[field("more_per_day", BIG, more)])
        .maybe("more_per_day")
}

/// The store, its tags and namespaces.
pub fn overview() -> Shape {
    let tags = "The first 1000 tags by name, and others that are leased from; absent while they \
                cannot be read.";
    let spaces = "The first 100 namespaces by name; absent while they cannot be read.";
    Shape::default()
        .words("version", "The server's version.")
        .within("store", "The store.", store())
        .rows("tags", tags, sighted_tag())
        .and(&[field("more_tags", FieldForm::Flag, "Whether there are other tags.")])
        .rows("namespaces", spaces, sighted_namespace())
        .rows("went_back", STOPPED, stopped())
        .maybe("tags")
        .maybe("namespaces")
}
