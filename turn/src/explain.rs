//! Messages for the refusals of the core's registry: what happened, with the figures, and what to do.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::string::ToString;
use leafid_core::registry::{Namespace, STEP_CAP, TagRow, WorkerRow};
use leafid_core::{
    AcquireAsk, Code, LINE_END, Name, Refusal, Release, RenewAsk, SegmentAsk, StoreTime, Token,
};
use leafid_wire::{Sentence, Subject};

use crate::change::TagChange;
use crate::hex;
use crate::problem::{Figure, Problem};
use crate::utc;

mod layouts;

pub use layouts::{layout_is_fixed, layout_mismatch, words};

fn sentence(code: Code, subject: Subject<'_>) -> Problem {
    Problem::new(code, Sentence::new(code, subject).to_string())
}

/// A tag without a row, or with a tombstone.
pub fn tag_unknown(tag: &Name) -> Problem {
    sentence(Code::TagUnknown, Subject::Tag(tag.as_str()))
}

/// A namespace without a row.
pub fn namespace_unknown(name: &Name) -> Problem {
    sentence(Code::NamespaceUnknown, Subject::Namespace(name.as_str()))
}

/// A worker number outside of the layout, or of the namespace's range.
pub fn worker_invalid(name: &Name, namespace: &Namespace, worker: u32) -> Problem {
    let (start, end) = (namespace.workers.start, namespace.workers.end);
    let detail = format!(
        "worker {worker} is outside namespace `{name}`, which hands out workers {start}..{end} of {}",
        namespace.layout.workers()
    );
    Problem::new(Code::WorkerInvalid, detail)
}

/// A refused lease of numbers.
pub fn segment(
    refusal: Refusal<StoreTime>,
    store: Token,
    row: &TagRow,
    ask: &SegmentAsk,
) -> Problem {
    let tag = &ask.tag;
    match refusal.code {
        Code::TagUnknown => tag_unknown(tag),
        Code::StoreChanged => store_changed(store, ask.store),
        // A step that another program wrote.
        Code::SchemaMismatch if row.step == 0 => step_of_row(tag),
        Code::SchemaMismatch => row_of_others(tag, row),
        Code::StepInvalid => {
            let step = ask.step.unwrap_or(0);
            let detail = format!("step must be 1 to {STEP_CAP}, got `{step}` for tag `{tag}`");
            Problem::new(refusal.code, detail)
        }
        Code::RequestInvalid => Problem::new(
            refusal.code,
            "`exactly` says how many by itself; leave out `step` and `at_least`",
        ),
        Code::CountInvalid => count_invalid(row, ask),
        Code::StoreWentBack => {
            let (have, max_id) = (ask.have_until.unwrap_or(0), row.max_id);
            let detail = format!(
                "the caller has numbers of tag `{tag}` up to {have}, but this store has granted \
                 none from {max_id} on; it has lost grants: stop; others get no numbers of the tag \
                 either until it is moved"
            );
            let problem = Problem::new(refusal.code, detail).with("have_until", Figure::Big(have));
            let problem = problem.with("max_id", Figure::Big(max_id));
            match row.claimed_until {
                Some(claimed) => problem.with("claimed_until", Figure::Big(claimed)),
                None => problem,
            }
        }
        Code::StoreRefused => stopped(tag, row),
        Code::RangeInvalid => {
            let have = ask.have_until.unwrap_or(0);
            let detail =
                format!("`have_until` must be at most {LINE_END}, got `{have}` for tag `{tag}`");
            Problem::new(refusal.code, detail)
        }
        Code::TagSpent => tag_spent(row, ask),
        _ => refusal.into(),
    }
}

/// A tag of which a holder has shown numbers beyond its position. How far they reach is the holder's word
/// alone, so no command is printed with it filled in.
fn stopped(tag: &Name, row: &TagRow) -> Problem {
    let (max_id, claimed) = (row.max_id, row.claimed_until.unwrap_or(0));
    let detail = format!(
        "tag `{tag}` stands at {max_id}, and a holder has shown numbers of it up to {claimed}: the \
         store has lost grants, so nothing is leased from the tag that may be in use; find its \
         largest number in use, and move it above: leafid tag advance {tag} --to N; or move all \
         tags: leafid repair"
    );
    Problem::new(Code::StoreRefused, detail)
        .with("claimed_until", Figure::Big(claimed))
        .with("max_id", Figure::Big(max_id))
}

/// A tag whose step, written by another program, is not one.
pub fn step_of_row(tag: &Name) -> Problem {
    let detail = format!(
        "tag `{tag}` has a step of 0 or less in the store, and a lease would have no number; set it: \
         leafid tag set {tag} --step N"
    );
    Problem::new(Code::StepInvalid, detail)
}

fn row_of_others(tag: &Name, row: &TagRow) -> Problem {
    let is = if row.max_id == 0 || row.max_id > LINE_END {
        format!("`max_id` is `{}`", row.max_id)
    } else if row.step > STEP_CAP {
        format!("`step` is `{}`", row.step)
    } else {
        format!("`max_step` is `{}`", row.max_step)
    };
    odd_row(&format!("tag `{tag}`"), &is)
}

/// A row with a value that no program of ours writes.
pub fn odd_row(what: &str, is: &str) -> Problem {
    let detail = format!(
        "a row of {what} has a value that leafid did not write ({is}); put back what it was, or a \
         higher position and later times, and nothing is granted twice"
    );
    Problem::new(Code::SchemaMismatch, detail)
}

fn count_invalid(row: &TagRow, ask: &SegmentAsk) -> Problem {
    let (tag, most) = (&ask.tag, row.max_step);
    let detail = match ask.exactly {
        Some(count @ 1..) => format!(
            "a lease of tag `{tag}` has at most {most} numbers, and {count} are wanted as one \
             range; ask for fewer, or raise its max_step: leafid tag set {tag} --max-step {count}"
        ),
        Some(0) => "`exactly` must be 1 or more, got `0`".to_owned(),
        None => "`at_least` must be 1 or more, got `0`; leave it out to wait for one".to_owned(),
    };
    let problem = Problem::new(Code::CountInvalid, detail);
    match ask.exactly {
        Some(_) => problem.with("max_step", Figure::Number(most.into())),
        None => problem,
    }
}

fn tag_spent(row: &TagRow, ask: &SegmentAsk) -> Problem {
    let (tag, left) = (&ask.tag, row.remaining());
    let wanted = match ask.exactly {
        Some(count) if left > 0 => {
            format!("{left} numbers left, and {count} are wanted; nothing was leased")
        }
        _ => "no numbers left".to_owned(),
    };
    let way = match row.until {
        Some(until) => format!(
            "its position is {} and its end {until}; if more may be granted, raise its upper end: \
             leafid tag set {tag} --until N",
            row.max_id
        ),
        None => {
            format!(
                "its position is {}, near the highest number there is; create a new tag",
                row.max_id
            )
        }
    };
    Problem::new(Code::TagSpent, format!("tag `{tag}` has {wanted}: {way}"))
        .with("max_id", Figure::Big(row.max_id))
        .with("until", Figure::Big(row.end()))
        .with("remaining", Figure::Big(left))
}

/// A refused creation or change of a tag.
pub fn tag_change(
    refusal: Refusal,
    tag: &Name,
    change: &TagChange,
    before: Option<&TagRow>,
) -> Problem {
    let detail = match refusal.code {
        Code::TagExists if change.only_create => {
            format!("tag `{tag}` exists already; use it, or another name")
        }
        Code::TagExists => {
            format!("tag `{tag}` exists already; `from` counts only when a tag is created")
        }
        Code::StepInvalid => format!(
            "tag `{tag}` needs 1 <= step <= max_step <= {STEP_CAP}, got step {} and max_step {}",
            said(change.step.or(before.map(|row| row.step))),
            said(change.max_step.or(before.map(|row| row.max_step)))
        ),
        Code::RangeInvalid => match change.from.filter(|from| *from == 0 || *from > LINE_END) {
            Some(from) => {
                format!("from must be 1 to {}, got `{from}` for tag `{tag}`", LINE_END - 1)
            }
            None => return until_invalid(tag, change, before),
        },
        Code::TagUnknown => return tag_unknown(tag),
        _ => return refusal.into(),
    };
    Problem::new(refusal.code, detail)
}

fn until_invalid(tag: &Name, change: &TagChange, before: Option<&TagRow>) -> Problem {
    let position = before.map_or(0, |row| row.max_id);
    let first = match before {
        Some(row) if !row.deleted => position,
        _ => change.from.unwrap_or(1).max(position),
    };
    let until = change.until.unwrap_or(0);
    let why = match before {
        Some(_) if first == position => {
            format!(
                "the position of tag `{tag}` is {first}, and numbers below may have been granted"
            )
        }
        _ => format!("tag `{tag}` would begin at {first}"),
    };
    let detail = format!(
        "until must be {first} to {LINE_END}, got `{until}`: {why}; {LINE_END}, on the command \
         line `none`, is no upper end"
    );
    Problem::new(Code::RangeInvalid, detail)
        .with("max_id", Figure::Big(first))
        .with("until", Figure::Big(until))
}

/// A refused advance of a tag.
pub fn advance(refusal: Refusal, tag: &Name, row: &TagRow, to: u64) -> Problem {
    let (max_id, end) = (row.max_id, row.end());
    let detail = match refusal.code {
        Code::RangeInvalid if to < max_id => format!(
            "the position of tag `{tag}` is {max_id} and cannot go back to {to}, because the numbers \
             between may have been granted; name {max_id} or more"
        ),
        Code::RangeInvalid => format!(
            "tag `{tag}` ends at {end} and cannot be advanced to {to}; name {end} or less, or \
             raise its upper end first: leafid tag set {tag} --until N"
        ),
        Code::TagUnknown => return tag_unknown(tag),
        _ => return refusal.into(),
    };
    Problem::new(refusal.code, detail)
        .with("to", Figure::Big(to))
        .with("max_id", Figure::Big(max_id))
        .with("until", Figure::Big(end))
}

/// A new tag without `from` in a store that replaces a lost one, or has lost something.
pub fn tag_needs_from(tag: &Name) -> Problem {
    let detail = format!(
        "tag `{tag}` needs `from`: this store has lost grants, or replaces a lost one, whose numbers it would repeat \
         from 1 on; name a first number above every one in use: leafid tag create {tag} --from N"
    );
    Problem::new(Code::RequestInvalid, detail)
}

/// A tag without `from` whose row is gone from another program's table.
pub fn tag_removed(tag: &Name, row: &TagRow) -> Problem {
    let detail = format!(
        "tag `{tag}` needs `from`: its row was deleted by hand, and whatever else uses the table may have \
         moved it on from {}, where leafid saw it last; name a first number above every one in use: \
         leafid tag create {tag} --from N",
        row.max_id
    );
    Problem::new(Code::RequestInvalid, detail).with("max_id", Figure::Big(row.max_id))
}

/// A namespace to be created that is there, and differs.
pub fn namespace_exists(name: &Name, row: &Namespace) -> Problem {
    let detail = format!(
        "namespace `{name}` exists already, with layout {}, workers {}..{} and windows of at most \
         {} ms; use it, change it (leafid namespace set {name}), or take another name",
        words(&row.layout),
        row.workers.start,
        row.workers.end,
        row.max_window_ms
    );
    Problem::new(Code::LayoutMismatch, detail)
}

/// A refused acquire.
pub fn acquire(
    refusal: Refusal<StoreTime>,
    store: Token,
    namespace: &Namespace,
    ask: &AcquireAsk,
    now: StoreTime,
) -> Problem {
    let name = &ask.namespace;
    match refusal.code {
        Code::StoreChanged => store_changed(store, ask.store),
        Code::LayoutMismatch => layout_mismatch(name, &namespace.layout, ask.layout),
        Code::RequestInvalid => Problem::new(
            refusal.code,
            "`strict` needs `sticky`: only a kept number can be demanded",
        ),
        Code::WorkersExhausted => {
            let count = namespace.workers.len();
            let detail = format!(
                "all {count} worker numbers of namespace `{name}` are held or not free yet; wait \
                 until one is free, or give the namespace more"
            );
            let detail = match ask.strict {
                true => format!("the number that `{}` keeps is not free yet", ask.owner),
                false => detail,
            };
            let floor = namespace.layout.time(namespace.floor);
            let detail = match refusal.until.map(|until| until.since(now).max(0)) {
                // The floor is in the way, not the holders.
                Some(_) if floor > now => format!(
                    "no window of namespace `{name}` begins before {}: the store was fenced, as it \
                     had lost grants, or it replaces a lost one; wait until then",
                    utc::text(floor)
                ),
                Some(ms) => format!("{detail}; the first is free in {} s", (ms + 999) / 1_000),
                None => detail,
            };
            Problem::new(refusal.code, detail)
                .free_at(refusal.until, now)
                .with("workers", Figure::Number(count))
        }
        _ => time(refusal, name, namespace, now),
    }
}

/// A refused renewal.
pub fn renew(
    refusal: Refusal<StoreTime>,
    store: Token,
    namespace: &Namespace,
    row: &WorkerRow,
    ask: &RenewAsk,
    now: StoreTime,
) -> Problem {
    let (name, worker) = (&ask.namespace, ask.worker);
    match refusal.code {
        Code::StoreChanged => store_changed(store, Some(ask.store)),
        Code::StoreWentBack => {
            let (have, until) = (ask.have_until, row.reserved_until);
            let detail = format!(
                "the caller has worker {worker} of namespace `{name}` up to tick {have}, but this \
                 store has granted none from {until} on; it has lost grants: stop; nobody is given \
                 the number before all that may have been granted of it is over"
            );
            let problem = Problem::new(refusal.code, detail);
            problem.with("have_until", Figure::Big(have)).with("reserved_until", Figure::Big(until))
        }
        Code::LeaseLost => lease_lost(name, worker),
        _ => time(refusal, name, namespace, now),
    }
}

/// A refused release.
pub fn release(
    refusal: Refusal<StoreTime>,
    store: Token,
    row: &WorkerRow,
    ask: &Release,
) -> Problem {
    match refusal.code {
        Code::StoreChanged => store_changed(store, Some(ask.store)),
        Code::LeaseLost => lease_lost(&ask.namespace, ask.worker),
        Code::RangeInvalid => {
            let detail = format!(
                "nothing from tick {} on was granted on worker {} of namespace `{}`: its window \
                 ends at {}",
                ask.unused_from, ask.worker, ask.namespace, row.reserved_until
            );
            Problem::new(refusal.code, detail)
        }
        _ => refusal.into(),
    }
}

fn lease_lost(name: &Name, worker: u32) -> Problem {
    let detail = format!(
        "worker {worker} of namespace `{name}` is not leased under this key; use the window in \
         hand to its end, and acquire again"
    );
    Problem::new(Code::LeaseLost, detail)
}

fn store_changed(store: Token, named: Option<Token>) -> Problem {
    let detail = format!(
        "the caller knows store {}, this one is {}: two stores stand behind one name; stop and \
         find out why",
        named.map_or_else(String::new, hex),
        hex(store)
    );
    Problem::new(Code::StoreChanged, detail).with("store", Figure::Text(hex(store)))
}

fn time(
    refusal: Refusal<StoreTime>,
    name: &Name,
    namespace: &Namespace,
    now: StoreTime,
) -> Problem {
    if refusal.code != Code::TimeOverflow {
        return refusal.into();
    }
    let (first, last) = (namespace.layout.epoch_ms(), namespace.layout.last().get());
    let detail = format!(
        "the store's time {} does not fit the layout of namespace `{name}`, which runs from \
         {first} to {last} (ms since 1970)",
        now.get()
    );
    Problem::new(refusal.code, detail)
}

fn said(number: Option<u32>) -> String {
    number.map_or_else(|| "unset".to_owned(), |number| number.to_string())
}
