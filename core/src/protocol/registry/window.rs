//! Windows: acquire, renew, release.
//!
//! One figure keeps two holders of a number apart, `reserved_until`: nothing at or above it was ever
//! granted. A new lease begins at or above it, a renewal raises it, and only the holder of the key
//! may lower it, down to where its own lease began.

use super::worker::STICKY_KEEP_MS;
use super::{Answer, Namespace, Worker, WorkerRow, same_store};
use crate::protocol::{AcquireAsk, Release, RenewAsk, WindowGrant};
use crate::values::{Code, Name, Range, Refusal, StoreTime, Token};

/// The longest first window, in ms: a process that crashes at once blocks its number no longer.
pub const FIRST_WINDOW_MS: i64 = 60_000;

/// The rows from which an acquire is decided. A store looks them up by key, owner and
/// `reserved_until`, so a database needs three indexes and never reads all rows. [`acquire`] has an
/// example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// The row with this request as its key.
    pub mine: Option<Worker>,
    /// The rows kept for this owner, if the ask is sticky: one, or two after two servers decided at
    /// once; any two if there are more.
    pub own: [Option<Worker>; 2],
    /// A free number, the one that rested longest if that is cheap to find; else the one that will be
    /// free first.
    pub rested: Option<Worker>,
}

/// A worker number that was given: the rows to write and the answer. Write both rows in one step, and
/// only if they have not changed; else look up the candidates again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acquired {
    /// The number and its row.
    pub worker: Worker,
    /// Another number that was kept for this owner and is no longer.
    pub freed: Option<Worker>,
    /// The answer.
    pub grant: WindowGrant,
}

/// Gives a worker number and a first window on it, of at most a minute. A repeat under the same
/// request id gives the same window, so that a lost answer costs no second number.
///
/// Over a map (a database has the same three look-ups, and one transaction):
///
/// ```
/// use std::collections::HashMap;
/// use leafid_core::registry::{self, Acquired, Candidates, Namespace, WorkerRow};
/// use leafid_core::{
///     AcquireAsk, Code, Layout, Name, Range, Refusal, StoreTime, Token, WindowGrant,
/// };
///
/// struct Numbers {
///     id: Token,
///     namespace: Namespace,
///     rows: HashMap<u32, WorkerRow>,
/// }
///
/// impl Numbers {
///     fn acquire(
///         &mut self,
///         ask: &AcquireAsk,
///         now: StoreTime,
///     ) -> Result<WindowGrant, Refusal<StoreTime>> {
///         let find = |is_it: &dyn Fn(&WorkerRow) -> bool| {
///             self.rows.iter().find(|(_, row)| is_it(row)).map(|(number, row)| (*number, *row))
///         };
///         let all = self.namespace.workers.start as u32..self.namespace.workers.end as u32;
///         let candidates = Candidates {
///             mine: find(&|row| row.key == Some(ask.request)),
///             own: [find(&|row| row.sticky && row.owner == ask.owner), None],
///             rested: all
///                 .map(|number| (number, self.rows.get(&number).copied().unwrap_or_default()))
///                 .min_by_key(|(_, row)| (row.is_kept_from(&ask.owner, now), row.reserved_until)),
///         };
///         let Acquired { worker, freed, grant } =
///             registry::acquire(self.id, &self.namespace, &candidates, ask, now)?;
///         self.rows.extend([Some(worker), freed].into_iter().flatten());
///         Ok(grant)
///     }
/// }
///
/// let namespace = Namespace::create(Layout::LEAF, Some(Range::new(0, 2)), None)?;
/// let mut store = Numbers { id: Token::new([1; 16]), namespace, rows: HashMap::new() };
/// let (name, owner) = (Name::namespace("default")?, Name::owner("host/1")?);
/// let ask = |n| AcquireAsk::new(name, Token::new([n; 16]), owner);
/// let now = StoreTime::new(1_800_000_000_000);
/// assert_eq!(store.acquire(&ask(2), now).map(|grant| grant.worker), Ok(0));
/// assert_eq!(store.acquire(&ask(2), now).map(|grant| grant.worker), Ok(0), "the same ask");
/// assert_eq!(store.acquire(&ask(3), now).map(|grant| grant.worker), Ok(1));
/// let none = store.acquire(&ask(4), now).unwrap_err();
/// assert_eq!((none.code, none.until), (Code::WorkersExhausted, Some(now.plus(60_000))));
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
///
/// # Errors
/// `STORE_CHANGED`, `LAYOUT_MISMATCH`, `REQUEST_INVALID` (strict without sticky), `TIME_OVERFLOW`,
/// `WORKERS_EXHAUSTED` until the first number is free, and `SCHEMA_MISMATCH` where the number's row
/// cannot be: it begins above its `reserved_until`.
pub fn acquire(
    store: Token,
    namespace: &Namespace,
    candidates: &Candidates,
    ask: &AcquireAsk,
    now: StoreTime,
) -> Result<Acquired, Refusal<StoreTime>> {
    let Candidates { mine, own, rested } = *candidates;
    same_store(store, ask.store)?;
    // PROTOCOL R14
    if ask.layout.is_some_and(|layout| layout != namespace.layout) {
        return Err(Code::LayoutMismatch.into());
    }
    if ask.strict && !ask.sticky {
        return Err(Code::RequestInvalid.into());
    }
    // PROTOCOL R15
    if let Some((number, row)) = mine.filter(|(_, row)| row.key == Some(ask.request)) {
        row.sound()?;
        let ticks = Range::new(row.held_from, row.reserved_until);
        let grant = namespace.answer(store, ask.request, number, ticks, now);
        return Ok(Acquired { worker: (number, row), freed: None, grant });
    }
    let tick = namespace.layout.tick(now)?;
    let is_free = |(_, row): &Worker| row.is_free(namespace.floor, &ask.owner, now, tick);
    let inside = |(number, _): &Worker| namespace.hands_out(*number);
    let (own, spare) = kept(namespace, own, ask, (now, tick));
    let (number, row, sticky) = match own {
        Some(own) if is_free(&own) => (own.0, own.1, true),
        Some(own) if ask.strict => {
            return Err(exhausted(namespace, Some(own), &ask.owner, now));
        }
        _ => {
            let rested = rested.filter(inside);
            let (number, row) = rested
                .filter(is_free)
                .ok_or_else(|| exhausted(namespace, rested, &ask.owner, now))?;
            (number, row, ask.sticky && own.is_none())
        }
    };
    row.sound()?;
    let freed = spare.filter(|(spare, _)| *spare != number);
    let freed = freed.map(|(number, row)| (number, WorkerRow { sticky: false, ..row }));
    let length = namespace
        .window_ticks(ask.length_ms)
        .min(namespace.layout.ticks(FIRST_WINDOW_MS.unsigned_abs()));
    let ticks = Range::new(tick, namespace.end(tick, length));
    let row = WorkerRow {
        owner: ask.owner,
        sticky,
        key: Some(ask.request),
        held_from: ticks.start,
        // PROTOCOL R16
        reserved_until: ticks.end.max(row.reserved_until),
        // Never goes down, also if another server's clock is ahead: a lower value marks an older row.
        granted: now.max(row.granted),
    };
    let grant = namespace.answer(store, ask.request, number, ticks, now);
    Ok(Acquired { worker: (number, row), freed, grant })
}

/// The number to keep for an owner, and the other one to free: of two the one that is not free, or
/// the older, or one outside the range that may be handed out.
fn kept(
    namespace: &Namespace,
    own: [Option<Worker>; 2],
    ask: &AcquireAsk,
    (now, tick): (StoreTime, u64),
) -> (Option<Worker>, Option<Worker>) {
    let is_own = |(_, row): &Worker| ask.sticky && row.sticky && row.owner == ask.owner;
    let [a, b] = own.map(|own| own.filter(is_own));
    let is_free = |(_, row): &Worker| row.is_free(namespace.floor, &ask.owner, now, tick);
    let rank = |own: &Worker| (namespace.hands_out(own.0), is_free(own), own.1.granted, own.0);
    let (best, other) = if a.map(|a| rank(&a)) < b.map(|b| rank(&b)) { (b, a) } else { (a, b) };
    match best.filter(|(number, _)| namespace.hands_out(*number)) {
        Some(best) => (Some(best), other),
        None => (None, best),
    }
}

/// The refusal if no number is free: until the first one's window and the floor are over, or it is
/// no longer kept for its owner.
fn exhausted(
    namespace: &Namespace,
    first: Option<Worker>,
    owner: &Name,
    now: StoreTime,
) -> Refusal<StoreTime> {
    let Some((_, row)) = first else { return Code::WorkersExhausted.into() };
    let rested = namespace.layout.time(row.rests_until(namespace.floor));
    let kept = row.is_kept_from(owner, now).then(|| row.granted.plus(STICKY_KEEP_MS));
    Refusal::until(Code::WorkersExhausted, kept.map_or(rested, |kept| kept.max(rested)))
}

/// Moves the end of a window forward. With nothing new to give it succeeds with an empty range; the
/// grant of a lost answer is repeated by the next. Of the row only `reserved_until` and `granted`
/// change, and never down. [`RenewAsk`] has an example.
///
/// Write the row whatever the answer is: a caller that has ticks which were never granted here is
/// refused (`STORE_WENT_BACK`) and loses the number, which is given to no other holder before all
/// that may have been granted of it is over.
///
/// # Errors
/// They change nothing.
/// `STORE_CHANGED`; `LEASE_LOST` if the row is another lease's, the number may no longer be handed
/// out, or all that the caller has lies below the floor; `TIME_OVERFLOW`; `SCHEMA_MISMATCH` as in
/// [`acquire`].
pub fn renew(
    store: Token,
    namespace: &Namespace,
    row: &WorkerRow,
    ask: &RenewAsk,
    now: StoreTime,
) -> Result<(WorkerRow, Answer<WindowGrant>), Refusal<StoreTime>> {
    same_store(store, Some(ask.store))?;
    // PROTOCOL R17
    // Below the floor nothing is granted, so the caller's ticks go to no other holder, whatever its
    // row contains.
    if ask.have_until < namespace.floor {
        return Err(Code::LeaseLost.into());
    }
    if row.key != Some(ask.key) {
        return Err(Code::LeaseLost.into());
    }
    row.sound()?;
    if ask.have_until > row.reserved_until {
        // Before the store went back, others may have had the number after the caller.
        let reserved_until = namespace.fenced(now, row.reserved_until).floor;
        let row = WorkerRow { key: None, reserved_until, ..*row };
        return Ok((row, Err(Code::StoreWentBack.into())));
    }
    let below = ask.have_until < row.held_from;
    if below || !namespace.hands_out(ask.worker) {
        return Err(Code::LeaseLost.into());
    }
    let tick = namespace.layout.tick(now)?;
    let end = namespace.end(tick, namespace.window_ticks(ask.length_ms));
    let reserved_until = end.max(row.reserved_until);
    let row = WorkerRow { reserved_until, granted: now.max(row.granted), ..*row };
    let ticks = Range::new(ask.have_until, reserved_until);
    Ok((row, Ok(namespace.answer(store, ask.request, ask.worker, ticks, now))))
}

/// Takes back the unused part of a window: the number is free from `unused_from` on, or stays kept
/// for its owner if it was sticky.
///
/// # Errors
/// `STORE_CHANGED`, `LEASE_LOST` if the row is another lease's (a repeat gets this too, and a
/// closing holder ignores it), `RANGE_INVALID` if nothing at `unused_from` was granted,
/// `SCHEMA_MISMATCH` as in [`acquire`].
pub fn release(
    store: Token,
    row: &WorkerRow,
    release: &Release,
) -> Result<WorkerRow, Refusal<StoreTime>> {
    same_store(store, Some(release.store))?;
    // PROTOCOL R18
    if row.key != Some(release.key) {
        return Err(Code::LeaseLost.into());
    }
    row.sound()?;
    if release.unused_from > row.reserved_until {
        return Err(Code::RangeInvalid.into());
    }
    let reserved_until = release.unused_from.max(row.held_from);
    Ok(WorkerRow { key: None, reserved_until, ..*row })
}
