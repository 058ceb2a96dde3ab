//! How a snowflake generator keeps its state file.

use super::keeping::{Fresh, Keeping, Named, Out, Way};
use super::lease::Lease;
use super::{Snowflake, SnowflakeIds, Snowflakes};
use crate::generator::Outcome;
use crate::generator::kind::{Keeps, NewRange, WriteDue};
use crate::line::{INSIDE, Ids, Line};
use crate::protocol::{Release, StateRecord, StateWrite, WindowAsk};
use crate::values::{Code, HostTime, Offset, Range, Refusal, StoreTime};

/// Keeps a state file, to survive a restart while the store is away.
///
/// | verb | what it does | when |
/// |---|---|---|
/// | [`keep`](crate::Generator::keep) | takes over the right in the file | once, before the first `poll` |
/// | [`poll`](crate::Generator::poll), [`handle`](crate::Generator::handle) | gives the next write; takes its outcome | as ever |
/// | [`retire`](crate::Generator::retire) | closes; the file keeps the rest | at the end |
/// | [`give_up`](crate::Generator::give_up) | closes, and gives the rest back, once the file is void | instead |
/// | [`leave`](crate::Generator::leave) | keeps no file any more | in a forked child, after `forget` |
///
/// ```
/// use leafid_core::{
///     Action, Event, HostTime, MemoryStore, Snowflake, SnowflakeConfig, StateFile, StatePlace,
///     StoreTime, refill,
/// };
/// let place = StatePlace { machine: [1; 16], boot: [2; 16], device: 3, lock: 4 };
/// let mut disk = [0; StateFile::BYTES];
/// // Writes what is due; a host syncs before it reports `Written`.
/// let save = |ids: &mut Snowflake, now: HostTime, file: &mut StateFile, disk: &mut [u8]| {
///     while let Some(Action::Write(write)) = ids.poll(now, [3; 16]) {
///         let (at, slot) = file.slot(&write, now);
///         disk[at..at + slot.len()].copy_from_slice(&slot);
///         file.written();
///         let _ = ids.handle(Event::Written, now);
///     }
/// };
/// let config = SnowflakeConfig::new("default", "host/1")?;
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// store.set_clock(StoreTime::new(1_800_000_000_000));
/// let mut now = HostTime::new(250);
///
/// let (mut file, found) = StateFile::read(place, now, &disk);
/// let mut ids = Snowflake::new(config, 7)?;
/// ids.keep(found.unwrap(), now)?;
/// refill(&mut ids, &mut store, || now, || [2; 16])?;
/// assert!(ids.next(now).is_err(), "the file does not name this window yet");
/// save(&mut ids, now, &mut file, &mut disk);
/// let last = ids.next(now)?;
/// drop(ids); // it is killed; its next run has no store
///
/// now = now.plus(2_000);
/// let (mut file, found) = StateFile::read(place, now, &disk);
/// let mut ids = Snowflake::new(config, 8)?;
/// ids.keep(found.unwrap(), now)?;
/// save(&mut ids, now, &mut file, &mut disk);
/// assert!(ids.next(now)? > last);
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
impl<L: Line> Snowflake<L> {
    /// Has this generator keep a state file, and takes over the window in it, from `reserved` on, once
    /// that is written. Call it once, before the first ask.
    ///
    /// # Errors
    /// `STATE_INVALID` for a right of another namespace or layout than this generator's, `NOT_ENABLED`
    /// without the feature `state`, `REQUEST_INVALID` if a store is known already, and the reason if
    /// the generator has ended. Then nothing was changed.
    pub fn keep(&mut self, found: Option<StateRecord>, now: HostTime) -> Result<(), Refusal> {
        if let Some(code) = self.ended {
            return Err(code.into());
        }
        if self.store.is_some() || self.pending.out().is_some() {
            return Err(Code::RequestInvalid.into());
        }
        let Some(mut keeping) = Keeping::begin() else { return Err(Code::NotEnabled.into()) };
        let Some(record) = found else {
            self.kind.keeping = Some(keeping);
            return Ok(());
        };
        let fits = record.namespace == self.kind.config.namespace
            && self.kind.config.layout.is_none_or(|layout| layout == record.layout);
        if !fits {
            return Err(Code::StateInvalid.into());
        }
        let offset = Offset::new(record.now.get().saturating_sub(now.get()));
        let ids = SnowflakeIds::new(&self.kind.config, record.layout, self.kind.seed);
        let shape = ids.shape();
        let positions = Range::new(shape.position(record.reserved), shape.position(record.end));
        let lease = Lease {
            worker: record.worker,
            key: record.key,
            store: record.store,
            end_tick: record.end,
        };
        keeping.named = Some(Named { lease, reserved: record.reserved });
        let bound = shape.bound(record.worker, record.end);
        keeping.hold(NewRange { positions, bound, extends: false }, lease, true);
        self.store = Some(record.store);
        self.offset = Some(offset);
        self.have_until = Some(positions.end);
        self.line.put_offset(INSIDE, offset, StoreTime::MIN);
        self.line.close_at(INSIDE, positions.start);
        let left = record.layout.time(record.end).since(record.now);
        self.kind.length_ms = u64::try_from(left).unwrap_or(0);
        (self.kind.ids, self.kind.lease) = (Some(ids), Some(lease));
        self.kind.keeping = Some(keeping);
        Ok(())
    }

    /// Stops keeping the state file: for a forked child, whose parent keeps it, after
    /// [`forget`](crate::Generator::forget).
    pub fn leave(&mut self) {
        self.kind.keeping = None;
    }

    /// The cursor from which on the file should be written again; never while a write is out.
    fn write_from(&self) -> u64 {
        let keeping = self.kind.keeping.filter(|keeping| keeping.out.is_none());
        match (self.kind.ids, keeping.and_then(|keeping| keeping.named.zip(Some(keeping)))) {
            (Some(ids), Some((named, keeping))) if self.ended.is_none() => {
                let (_, left_ms) = keeping.margins(self.kind.length_ms);
                let left = ids.layout.ticks(left_ms);
                ids.shape().position(named.reserved.saturating_sub(left))
            }
            _ => u64::MAX,
        }
    }

    /// Carries out what waited for the write; returns a release to send, if one waited. After a slow
    /// write, more is reserved ahead.
    fn is_written(&mut self, now: HostTime) -> Option<Release> {
        let keeping = self.kind.keeping.as_mut()?;
        let Out { way, stale, since } = keeping.out.take()?;
        keeping.took(now.since(since));
        match way {
            Way::Void => {
                (keeping.named, keeping.void) = (None, false);
                return keeping.release.take();
            }
            Way::Raise(named) | Way::Last(named) => keeping.named = Some(named),
            Way::Open(named, _) => {
                // If the line was closed meanwhile, it stood in another window.
                (keeping.named, keeping.last) = (Some(named), None);
            }
        }
        if !stale && self.ended.is_none() {
            self.follow(way);
        }
        None
    }

    /// Abandons the file and goes on in a window that was never named in it: the one at hand, or one to
    /// acquire. Whether it was not abandoned before.
    fn abandons(&mut self, now: HostTime) -> bool {
        let Some(keeping) = self.kind.keeping.as_mut() else { return false };
        keeping.out = None;
        keeping.pause(now);
        let unnamed = keeping.abandon();
        let is_news = self.stats.state_code.replace(Code::StateInvalid).is_none();
        if !is_news || self.ended.is_some() {
            return is_news;
        }
        match (unnamed, self.kind.ids) {
            (Some(Fresh { range, lease, .. }), Some(ids)) => {
                let Lease { worker, end_tick, .. } = self.lease_of(lease);
                self.open(NewRange { bound: ids.shape().bound(worker, end_tick), ..range });
            }
            _ => {
                self.kind.lease = None;
                self.pending.retain(|ask| matches!(ask, WindowAsk::Acquire(_)));
            }
        }
        true
    }

    fn follow(&mut self, way: Way) {
        let Some(ids) = self.kind.ids else { return };
        let bound = |named: Named| ids.shape().bound(named.lease.worker, named.reserved);
        match way {
            Way::Raise(named) if !self.line.is_closed() => self.line.extend(INSIDE, bound(named)),
            Way::Open(named, fresh) => {
                self.open(NewRange { bound: bound(named), ..fresh.range });
            }
            _ => {}
        }
    }

    /// When the file has to be written though no caller waits for it: before `reserved` is reached,
    /// while the generator is in use.
    fn raise_at(&self, keeping: &Keeping) -> Option<HostTime> {
        let (ids, named) = (self.kind.ids?, keeping.named?);
        let is_open = self.ended.is_none() && !self.line.is_closed();
        if !is_open || named.reserved >= self.lease_of(named.lease).end_tick {
            return None;
        }
        if self.line.stands_at() >= self.write_from() {
            return Some(HostTime::MIN);
        }
        if keeping.idle {
            return None;
        }
        let (_, left_ms) = keeping.margins(self.kind.length_ms);
        let over = ids.layout.time(named.reserved);
        Some(self.line.offset().to_host(over).plus(left_ms.cast_signed().saturating_neg()))
    }

    fn lease_of(&self, then: Lease) -> Lease {
        self.kind.lease.filter(|lease| lease.key == then.key).unwrap_or(then)
    }

    fn next_way(&mut self, now: HostTime) -> Option<Way> {
        let keeping = self.kind.keeping?;
        if keeping.void {
            return Some(Way::Void);
        }
        if let Some(last) = keeping.last {
            self.kind.keeping.as_mut()?.last = None;
            return Some(Way::Last(last));
        }
        if self.ended.is_some() {
            return None;
        }
        if let Some(fresh) = keeping.fresh {
            let way = self.opening(fresh, now);
            self.kind.keeping.as_mut()?.fresh = match way {
                Some(_) => None,
                None => Some(Fresh { over: true, ..fresh }),
            };
            return way;
        }
        let (named, cursor) = (keeping.named?, self.line.stands_at());
        if self.line.is_closed() || !self.kind.keeping.as_mut()?.is_warm(cursor, now) {
            return None;
        }
        let lease = self.lease_of(named.lease);
        let reserved = self.reserve(0, lease, now)?;
        (reserved > named.reserved).then_some(Way::Raise(Named { lease, reserved }))
    }

    fn opening(&mut self, fresh: Fresh, now: HostTime) -> Option<Way> {
        let lease = self.lease_of(fresh.lease);
        let shape = self.kind.ids?.shape();
        // The window opens strictly above where the line stands.
        let above = shape.tick(self.line.stands_at()).saturating_add(1);
        let start = shape.tick(fresh.range.positions.start).max(above);
        let reserved = self.reserve(start, lease, now)?;
        let named = Named { lease, reserved };
        Some(Way::Open(named, Fresh { lease, ..fresh }))
    }

    /// The `reserved` to write, so that the next use, from `start` on, lies a second below it, or more
    /// where writes are slow; `None` if nothing of the lease is left.
    fn reserve(&mut self, start: u64, lease: Lease, now: HostTime) -> Option<u64> {
        let SnowflakeIds { layout, .. } = self.kind.ids?;
        let shape = self.kind.ids?.shape();
        let now = layout.tick(self.line.now(now)).unwrap_or(0);
        let from = start.max(now).max(shape.tick(self.line.stands_at()));
        let wanted = self.wanted.div_ceil(layout.per_tick());
        let (ahead_ms, _) = self.kind.keeping?.margins(self.kind.length_ms);
        let ahead = layout.ticks(ahead_ms).saturating_add(wanted).saturating_add(1);
        (from < lease.end_tick).then(|| from.saturating_add(ahead).min(lease.end_tick))
    }
}

impl Keeps for Snowflakes {
    fn write_due<L: Line>(ids: &Snowflake<L>) -> WriteDue {
        let at = ids.kind.keeping.filter(|keeping| keeping.out.is_none()).and_then(|keeping| {
            let at = if keeping.is_due_now() { HostTime::MIN } else { ids.raise_at(&keeping)? };
            Some(keeping.pause_until.map_or(at, |until| until.max(at)))
        });
        WriteDue { at, from: ids.write_from() }
    }

    fn write<L: Line>(ids: &mut Snowflake<L>, now: HostTime) -> Option<StateWrite> {
        if Self::write_due(ids).at.is_none_or(|at| at > now) {
            return None;
        }
        let way = ids.next_way(now);
        let keeping = ids.kind.keeping.as_mut()?;
        keeping.demand = false;
        let Some(way) = way else {
            keeping.pause(now);
            return None;
        };
        keeping.pause_until = None;
        keeping.out = Some(Out { way, stale: false, since: now });
        let named = match way {
            Way::Void => return Some(StateWrite::Void),
            Way::Raise(named) | Way::Open(named, _) | Way::Last(named) => named,
        };
        Some(StateWrite::Record(StateRecord {
            namespace: ids.kind.config.namespace,
            store: named.lease.store,
            worker: named.lease.worker,
            key: named.lease.key,
            layout: ids.kind.ids?.layout,
            end: named.lease.end_tick,
            reserved: named.reserved,
            now: ids.line.now(now),
        }))
    }

    fn written<L: Line>(ids: &mut Snowflake<L>, is_done: bool, now: HostTime) -> Outcome {
        if ids.kind.keeping.is_none_or(|keeping| keeping.out.is_none()) {
            return Outcome::Ignored;
        }
        match is_done {
            true => ids.is_written(now).map_or(Outcome::Applied, Outcome::Release),
            false if ids.abandons(now) => Outcome::Applied,
            false => Outcome::Ignored,
        }
    }

    fn is_kept_back<L: Line>(&self, line: &mut L, now: HostTime) -> bool {
        let (Some(mut ids), Some(keeping)) = (self.ids, self.kept()) else { return false };
        let lease = self.lease.or(keeping.named.map(|named| named.lease));
        let Some(Lease { end_tick, .. }) = lease else { return false };
        if keeping.opening().is_some() {
            return true;
        }
        let reserved = keeping.named.map_or(0, |named| named.reserved);
        if keeping.void || reserved >= end_tick || line.is_closed() {
            return false;
        }
        let stands = line.stands_at();
        let from = ids.limits(line, now).map_or(stands, |limits| limits.start);
        from.max(stands) < ids.shape().position(end_tick)
    }

    fn hurry(&mut self) {
        if let Some(keeping) = &mut self.keeping {
            keeping.demand = true;
        }
    }

    fn is_voiding(&self) -> bool {
        self.keeping.is_some_and(|keeping| keeping.void)
    }
}
