//! The store's side of the protocol, pure: a row and a request in, a new row and an answer out.
//!
//! Every store is then the same small thing: read the row, decide here, write the new row on
//! condition that nobody else wrote it (and, for windows, that the namespace's floor has not
//! changed), and only then answer.

use crate::ask::{AcquireAsk, Release, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant};
use crate::code::{Code, Refusal};
use crate::layout::Layout;
use crate::name::Name;
use crate::range::{LINE_END, Range};
use crate::time::Millis;
use crate::token::Token;

/// The step of a tag for which none is said.
pub const DEFAULT_STEP: u32 = 1_000;
/// The largest step of a tag for which none is said.
pub const DEFAULT_MAX_STEP: u32 = 1_000_000;
/// The largest step that can be said (a signed 32-bit column holds it).
pub const STEP_CAP: u32 = i32::MAX as u32;
/// The longest window of a namespace for which none is said: ten minutes.
pub const DEFAULT_MAX_WINDOW_MS: u32 = 600_000;
/// The longest window that can be said: a day.
pub const MAX_WINDOW_CAP_MS: u32 = 86_400_000;

/// A window is at least so long, in ms, and at least two ticks.
const SHORTEST_WINDOW_MS: u32 = 1_000;
/// A first window is at most so long: a process that crashes at once blocks its number no longer.
const FIRST_WINDOW_MS: u64 = 60_000;
/// A sticky owner that was not seen for so long keeps nothing: 30 days.
const STICKY_KEEP_MS: i64 = 30 * 86_400_000;

/// The row of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagRow {
    /// The next number that was never granted.
    pub max_id: u64,
    /// How many numbers a lease takes unless it says.
    pub step: u32,
    /// How many a lease takes at most.
    pub max_step: u32,
    /// A tombstone: it keeps the position, for a tag made anew goes on above it.
    pub deleted: bool,
}

impl TagRow {
    /// The row of a new tag, or of one made anew over its tombstone. Numbers begin at `from`, 1 if
    /// not said.
    ///
    /// # Errors
    /// `TAG_EXISTS` over a row that is not deleted, `STEP_INVALID` for a step of 0 or above
    /// `max_step`, or a `max_step` above [`STEP_CAP`]; `RANGE_INVALID` for a `from` of 0 or beyond
    /// 2^63 - 1.
    pub fn create(
        before: Option<&TagRow>,
        from: Option<u64>,
        step: Option<u32>,
        max_step: Option<u32>,
    ) -> Result<TagRow, Refusal> {
        if before.is_some_and(|row| !row.deleted) {
            return Err(Code::TagExists.into());
        }
        let from = from.unwrap_or(1);
        if from == 0 || from > LINE_END {
            return Err(Code::RangeInvalid.into());
        }
        let above = before.map_or(0, |row| row.max_id);
        let (step, max_step) = steps(step, max_step, DEFAULT_STEP, DEFAULT_MAX_STEP)?;
        Ok(TagRow { max_id: from.max(above), step, max_step, deleted: false })
    }

    /// The row with other steps; what is not said stays.
    ///
    /// # Errors
    /// `TAG_UNKNOWN` for a tombstone, `STEP_INVALID` as in [`TagRow::create`].
    pub fn with_steps(&self, step: Option<u32>, max_step: Option<u32>) -> Result<TagRow, Refusal> {
        if self.deleted {
            return Err(Code::TagUnknown.into());
        }
        let (step, max_step) = steps(step, max_step, self.step, self.max_step)?;
        Ok(TagRow { step, max_step, ..*self })
    }

    /// How many numbers were never granted.
    pub fn remaining(&self) -> u64 {
        LINE_END.saturating_sub(self.max_id)
    }
}

/// A step that is said alone may not exceed the cap; a cap that is said alone pulls a default
/// step down, as far as nobody chose that step.
fn steps(
    step: Option<u32>,
    max_step: Option<u32>,
    step_before: u32,
    max_before: u32,
) -> Result<(u32, u32), Refusal> {
    let max_step = max_step.unwrap_or(max_before);
    let step = step.unwrap_or(step_before.min(max_step));
    if step == 0 || step > max_step || max_step > STEP_CAP {
        return Err(Code::StepInvalid.into());
    }
    Ok((step, max_step))
}

/// The row of a namespace, as far as leases need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// The layout of all its IDs.
    pub layout: Layout,
    /// The longest window, in ms.
    pub max_window_ms: u32,
    /// The worker numbers that may be handed out.
    pub workers: Range,
    /// No grant begins below this tick.
    pub floor: u64,
}

impl Namespace {
    /// A namespace; all worker numbers and ten minutes, unless said.
    ///
    /// # Errors
    /// `WORKER_INVALID` for numbers outside the layout or none at all, `RANGE_INVALID` for a
    /// window below a second or above a day.
    pub fn create(
        layout: Layout,
        workers: Option<Range>,
        max_window_ms: Option<u32>,
    ) -> Result<Namespace, Refusal> {
        let workers = workers.unwrap_or(Range::new(0, layout.workers()));
        if workers.is_empty() || workers.end > layout.workers() {
            return Err(Code::WorkerInvalid.into());
        }
        let max_window_ms = max_window_ms.unwrap_or(DEFAULT_MAX_WINDOW_MS);
        if !(SHORTEST_WINDOW_MS..=MAX_WINDOW_CAP_MS).contains(&max_window_ms) {
            return Err(Code::RangeInvalid.into());
        }
        Ok(Namespace { layout, max_window_ms, workers, floor: 0 })
    }

    /// Whether a worker number may be handed out.
    pub fn hands_out(&self, worker: u32) -> bool {
        self.workers.contains(worker.into()) || bug!(OutsideWorkers)
    }

    /// How many ticks a window of `length_ms` has here.
    fn window_ticks(&self, length_ms: Option<u32>) -> u64 {
        let length = length_ms.unwrap_or(self.max_window_ms).max(SHORTEST_WINDOW_MS);
        self.layout.ticks(length.min(self.max_window_ms).into()).max(2)
    }

    /// `length` ticks from `now`, within the layout.
    fn end(&self, now: u64, length: u64) -> u64 {
        now.saturating_add(length).min(self.layout.last_end())
    }

    fn answer(
        &self,
        store: Token,
        request: Token,
        worker: u32,
        ticks: Range,
        now: Millis,
    ) -> WindowGrant {
        let Namespace { layout, max_window_ms, .. } = *self;
        WindowGrant { request, store, worker, ticks, layout, now, max_window_ms }
    }
}

/// The row of a worker number; a number without a row is [`WorkerRow::default`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerRow {
    /// The label of who acquired it last; empty for nobody.
    pub owner: Name,
    /// Whether the owner keeps it.
    pub sticky: bool,
    /// The request id of the acquire whose lease this is.
    pub key: Option<Token>,
    /// The first tick of the lease.
    pub held_from: u64,
    /// The high-water mark: nothing at or above it was ever granted on this number.
    pub reserved_until: u64,
    /// When it was granted or renewed last (store's clock).
    pub granted: Millis,
}

impl Default for WorkerRow {
    fn default() -> WorkerRow {
        WorkerRow {
            owner: Name::EMPTY,
            sticky: false,
            key: None,
            held_from: 0,
            reserved_until: 0,
            granted: Millis::new(0),
        }
    }
}

impl WorkerRow {
    /// The tick from which time allows another lease.
    pub fn rests_until(&self, floor: u64) -> u64 {
        self.reserved_until.max(floor)
    }

    /// Whether another owner than `owner` keeps it at `now`.
    pub fn is_kept_from(&self, owner: &Name, now: Millis) -> bool {
        self.sticky && self.owner != *owner && now.since(self.granted) < STICKY_KEEP_MS
    }

    /// Whether `owner` may have it at `now`, which is the tick `tick`.
    pub fn is_free(&self, floor: u64, owner: &Name, now: Millis, tick: u64) -> bool {
        if bug!(TimeoutLease) {
            return now.since(self.granted) >= 30_000;
        }
        self.rests_until(floor) <= tick && !self.is_kept_from(owner, now)
    }

    /// The row after an operator took it from its holder, who goes on to the end in hand.
    pub fn revoked(&self) -> WorkerRow {
        WorkerRow { owner: Name::EMPTY, sticky: false, key: None, ..*self }
    }
}

/// Whether a request that names a store means this one.
fn same_store(store: Token, named: Option<Token>) -> Result<(), Refusal> {
    match named {
        Some(named) if named != store && !bug!(NoStoreCheck) => Err(Code::StoreChanged.into()),
        _ => Ok(()),
    }
}

/// Leases the next numbers of a tag.
///
/// The answer has `step` numbers, or `at_least` where that is more, and never more than
/// `max_step`. An `at_least` that is more than that is not looked at: so many can never be had in
/// one go, and nothing is leased for it. The last lease of a line may be shorter.
///
/// # Errors
/// `STORE_CHANGED`, `TAG_UNKNOWN` (deleted), `STEP_INVALID`, `COUNT_INVALID` for an `at_least` of
/// 0, `STORE_WENT_BACK` if the caller has numbers that were never granted here, `TAG_SPENT` at the
/// end of the line.
pub fn lease_segment(
    store: Token,
    row: &TagRow,
    ask: &SegmentAsk,
    now: Millis,
) -> Result<(TagRow, SegmentGrant), Refusal> {
    same_store(store, ask.store)?;
    if row.deleted {
        return Err(Code::TagUnknown.into());
    }
    let step = ask.step.unwrap_or(row.step);
    if step == 0 || step > STEP_CAP {
        return Err(Code::StepInvalid.into());
    }
    if ask.at_least == Some(0) {
        return Err(Code::CountInvalid.into());
    }
    if ask.have_until.is_some_and(|end| end > row.max_id) {
        return Err(Code::StoreWentBack.into());
    }
    let at_least = ask.at_least.filter(|n| *n <= row.max_step).unwrap_or(0);
    let granted = u64::from(step.min(row.max_step).max(at_least)).min(row.remaining());
    if granted == 0 {
        return Err(Code::TagSpent.into());
    }
    let range = Range::new(row.max_id, row.max_id.saturating_add(granted));
    let row = TagRow { max_id: range.end, ..*row };
    let grant = SegmentGrant {
        request: ask.request,
        store,
        tag: ask.tag,
        range,
        step: row.step,
        max_step: row.max_step,
        remaining: row.remaining(),
        now,
    };
    Ok((row, grant))
}

/// A worker number and its row.
pub type Worker = (u32, WorkerRow);

/// The rows that an acquire is decided on. A store looks them up; the decision looks at nothing
/// else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// The row whose key is this request.
    pub mine: Option<Worker>,
    /// The rows that this owner keeps, if the ask is sticky: one, and two after two servers have
    /// decided at once. A store that finds more gives any two.
    pub own: [Option<Worker>; 2],
    /// A number that is free, the one that rested longest where that is cheap to find; else the
    /// one that will be free first.
    pub rested: Option<Worker>,
}

/// A worker number that was given: what is to be written, in one step, and the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acquired {
    /// The number and its row.
    pub worker: Worker,
    /// Another number that this owner kept and keeps no longer.
    pub freed: Option<Worker>,
    /// The answer.
    pub grant: WindowGrant,
}

/// Gives a worker number and a first window on it, of at most a minute.
///
/// # Errors
/// `STORE_CHANGED`, `LAYOUT_MISMATCH`, `REQUEST_INVALID` (strict without sticky), `TIME_OVERFLOW`,
/// and `WORKERS_EXHAUSTED` until the first number is free.
pub fn acquire(
    store: Token,
    namespace: &Namespace,
    candidates: &Candidates,
    ask: &AcquireAsk,
    now: Millis,
) -> Result<Acquired, Refusal> {
    let Candidates { mine, own, rested } = *candidates;
    same_store(store, ask.store)?;
    if ask.layout.is_some_and(|layout| layout != namespace.layout) {
        return Err(Code::LayoutMismatch.into());
    }
    if ask.strict && !ask.sticky {
        return Err(Code::RequestInvalid.into());
    }
    if let Some((number, row)) = mine.filter(|(_, row)| row.key == Some(ask.request)) {
        let ticks = Range::new(row.held_from, row.reserved_until);
        let grant = namespace.answer(store, ask.request, number, ticks, now);
        return Ok(Acquired { worker: (number, row), freed: None, grant });
    }
    let tick = namespace.layout.tick(now)?;
    let is_free = |(_, row): &Worker| row.is_free(namespace.floor, &ask.owner, now, tick);
    let inside = |(number, _): &Worker| namespace.hands_out(*number);
    let (own, spare) = kept(namespace, own, ask);
    let (number, row, sticky) = match own {
        Some(own) if is_free(&own) => (own.0, own.1, true),
        Some(own) if ask.strict && !bug!(StrictIgnored) => {
            return Err(exhausted(namespace, Some(own), &ask.owner, now));
        }
        _ => {
            let rested = rested.filter(inside);
            let (number, row) = rested
                .filter(is_free)
                .ok_or_else(|| exhausted(namespace, rested, &ask.owner, now))?;
            (number, row, ask.sticky && (own.is_none() || bug!(BorrowedSticky)))
        }
    };
    let freed = spare.filter(|(spare, _)| *spare != number);
    let freed = freed.map(|(number, row)| (number, WorkerRow { sticky: false, ..row }));
    let length = namespace.window_ticks(ask.length_ms).min(namespace.layout.ticks(FIRST_WINDOW_MS));
    let ticks = Range::new(tick, namespace.end(tick, length));
    let row = WorkerRow {
        owner: ask.owner,
        sticky,
        key: Some(ask.request),
        held_from: ticks.start,
        reserved_until: ticks.end.max(row.reserved_until),
        granted: now,
    };
    let grant = namespace.answer(store, ask.request, number, ticks, now);
    Ok(Acquired { worker: (number, row), freed, grant })
}

/// Which number an owner keeps, and which other one it shall keep no longer: of two the older, or
/// one outside the range that may be handed out.
fn kept(
    namespace: &Namespace,
    own: [Option<Worker>; 2],
    ask: &AcquireAsk,
) -> (Option<Worker>, Option<Worker>) {
    let is_own = |(_, row): &Worker| ask.sticky && row.sticky && row.owner == ask.owner;
    let [a, b] = own.map(|own| own.filter(|own| is_own(own) && !bug!(StickyIgnored)));
    let rank = |own: &Worker| (namespace.hands_out(own.0), own.1.granted, own.0);
    let (best, other) = if a.map(|a| rank(&a)) < b.map(|b| rank(&b)) { (b, a) } else { (a, b) };
    let other = other.filter(|_| !bug!(TwoSticky));
    match best.filter(|(number, _)| namespace.hands_out(*number)) {
        Some(best) => (Some(best), other),
        None => (None, best),
    }
}

/// No number is free; the first one will be when its window and the floor are over, or its owner
/// keeps it no longer.
fn exhausted(namespace: &Namespace, first: Option<Worker>, owner: &Name, now: Millis) -> Refusal {
    let Some((_, row)) = first else { return Code::WorkersExhausted.into() };
    let rested = namespace.layout.time(row.rests_until(namespace.floor));
    let kept = row.is_kept_from(owner, now).then(|| row.granted.plus(STICKY_KEEP_MS));
    Refusal::until(Code::WorkersExhausted, kept.map_or(rested, |kept| kept.max(rested)))
}

/// Moves the end of a window forward. Nothing new to give is a success with an empty range; what
/// a lost answer promised is given by the next.
///
/// # Errors
/// `STORE_CHANGED`, `STORE_WENT_BACK` if the caller has ticks that were never granted here,
/// `LEASE_LOST` if the row is another lease's or the number may no longer be handed out,
/// `TIME_OVERFLOW`.
pub fn renew(
    store: Token,
    namespace: &Namespace,
    row: &WorkerRow,
    ask: &RenewAsk,
    now: Millis,
) -> Result<(WorkerRow, WindowGrant), Refusal> {
    same_store(store, Some(ask.store))?;
    if row.key != Some(ask.key) {
        return Err(Code::LeaseLost.into());
    }
    if ask.have_until > row.reserved_until {
        return Err(Code::StoreWentBack.into());
    }
    let below = ask.have_until < row.held_from && !bug!(RenewWithoutHeldFrom);
    if ask.have_until < namespace.floor || below || !namespace.hands_out(ask.worker) {
        return Err(Code::LeaseLost.into());
    }
    let tick = namespace.layout.tick(now)?;
    let end = namespace.end(tick, namespace.window_ticks(ask.length_ms));
    let reserved_until = if bug!(RenewLowers) { end } else { end.max(row.reserved_until) };
    let row = WorkerRow { reserved_until, granted: now.max(row.granted), ..*row };
    let ticks = Range::new(ask.have_until, reserved_until);
    Ok((row, namespace.answer(store, ask.request, ask.worker, ticks, now)))
}

/// Takes back what of a window was not used; the number rests no longer than to `unused_from`.
///
/// # Errors
/// `STORE_CHANGED`, `LEASE_LOST` if the row is another lease's (a repeat gets this too, and a
/// closing holder ignores it), `RANGE_INVALID` if nothing at `unused_from` was granted.
pub fn release(store: Token, row: &WorkerRow, release: &Release) -> Result<WorkerRow, Refusal> {
    same_store(store, Some(release.store))?;
    if row.key != Some(release.key) {
        return Err(Code::LeaseLost.into());
    }
    if release.unused_from > row.reserved_until {
        return Err(Code::RangeInvalid.into());
    }
    let lowest = if bug!(ReleaseWithoutHeldFrom) { 0 } else { row.held_from };
    Ok(WorkerRow { key: None, reserved_until: release.unused_from.max(lowest), ..*row })
}
