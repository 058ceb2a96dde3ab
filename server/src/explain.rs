//! Refusals of the core's registry in words: what happened, with the figures, and what to do.

use leafid_core::registry::{Namespace, STEP_CAP, TagRow, WorkerRow};
use leafid_core::{
    AcquireAsk, Code, Layout, Name, Refusal, Release, RenewAsk, SegmentAsk, StoreTime, Token,
};

use crate::problem::{Figure, Problem};
use crate::store::TagChange;

/// A tag without a row, or with a tombstone.
pub fn tag_unknown(tag: &Name) -> Problem {
    let detail = format!("tag `{tag}` does not exist; create it: leafid tag create {tag}");
    Problem::new(Code::TagUnknown, detail)
}

/// A namespace without a row.
pub fn namespace_unknown(name: &Name) -> Problem {
    let detail =
        format!("namespace `{name}` does not exist; create it: leafid namespace create {name}");
    Problem::new(Code::NamespaceUnknown, detail)
}

/// A worker number outside the layout, or outside what may be handed out.
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
        Code::StepInvalid => {
            let step = ask.step.unwrap_or(0);
            let detail = format!("step must be 1 to {STEP_CAP}, got `{step}` for tag `{tag}`");
            Problem::new(refusal.code, detail)
        }
        Code::CountInvalid => Problem::new(
            refusal.code,
            "`at_least` must be 1 or more, got `0`; leave it out to wait for one",
        ),
        Code::StoreWentBack => {
            let (have, max_id) = (ask.have_until.unwrap_or(0), row.max_id);
            let detail = format!(
                "the caller has numbers of tag `{tag}` up to {have}, but this store has granted \
                 none from {max_id} on; it has lost grants: stop, and repair it"
            );
            let problem = Problem::new(refusal.code, detail);
            problem.with("have_until", Figure::Big(have)).with("max_id", Figure::Big(max_id))
        }
        Code::TagSpent => {
            let detail = format!("tag `{tag}` has no numbers left: it stands at {}", row.max_id);
            Problem::new(refusal.code, detail)
        }
        _ => refusal.into(),
    }
}

/// A refused creation or change of a tag.
pub fn tag_change(refusal: Refusal, tag: &Name, change: &TagChange) -> Problem {
    let detail = match refusal.code {
        Code::TagExists if change.only_create => {
            format!("tag `{tag}` exists already; use it, or another name")
        }
        Code::TagExists => {
            format!("tag `{tag}` exists already; `from` counts only when a tag is created")
        }
        Code::StepInvalid => format!(
            "tag `{tag}` needs 1 <= step <= max_step <= {STEP_CAP}, got step {} and max_step {}",
            said(change.step),
            said(change.max_step)
        ),
        Code::RangeInvalid => format!(
            "from must be 1 to {}, got `{}` for tag `{tag}`",
            i64::MAX - 1,
            change.from.unwrap_or(0)
        ),
        Code::TagUnknown => return tag_unknown(tag),
        _ => return refusal.into(),
    };
    Problem::new(refusal.code, detail)
}

/// A new tag in a store that replaces a lost one.
pub fn tag_needs_from(tag: &Name) -> Problem {
    let detail = format!(
        "tag `{tag}` needs `from`: this store replaces a lost one, whose numbers it would repeat \
         from 1 on; name a first number above every one in use: leafid tag create {tag} --from N"
    );
    Problem::new(Code::RequestInvalid, detail)
}

/// A namespace that is to be created, is there, and is not as it was to be.
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
            let detail = match refusal.until.map(|until| until.since(now).max(0)) {
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
                 store has granted none from {until} on; it has lost grants: stop, and repair it"
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

/// A layout that is not the namespace's.
pub fn layout_mismatch(name: &Name, layout: &Layout, said: Option<Layout>) -> Problem {
    let said = said.map_or_else(|| "another".to_owned(), |said| words(&said));
    let detail = format!(
        "namespace `{name}` has layout {}, the caller {said}; use its own, or another namespace",
        words(layout)
    );
    Problem::new(Code::LayoutMismatch, detail)
}

/// A change of a layout after the first window.
pub fn layout_is_fixed(name: &Name, before: &Layout, after: &Layout) -> Problem {
    let detail = format!(
        "namespace `{name}` has layout {}, which cannot become {} after its first window; create \
         another namespace",
        words(before),
        words(after)
    );
    Problem::new(Code::LayoutMismatch, detail)
}

/// A layout in a few words.
pub fn words(layout: &Layout) -> String {
    format!(
        "{}/{}/{} of {} ms since {}",
        layout.time_bits(),
        layout.worker_bits(),
        layout.sequence_bits(),
        layout.tick_ms(),
        layout.epoch_ms()
    )
}

fn lease_lost(name: &Name, worker: u32) -> Problem {
    let detail = format!(
        "worker {worker} of namespace `{name}` is not leased under this key; use the window in \
         hand to its end, and acquire again"
    );
    Problem::new(Code::LeaseLost, detail)
}

fn store_changed(store: Token, named: Option<Token>) -> Problem {
    let hex = |token: Token| String::from_utf8_lossy(&token.to_hex()).into_owned();
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
