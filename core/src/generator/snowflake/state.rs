//! The verbs of a generator that keeps a state file.

use super::keeping::{Fresh, Keeping, Named, Out, Way};
use super::lease::Lease;
use super::{Snowflake, SnowflakeIds, Snowflakes};
use crate::generator::Generator;
use crate::generator::kind::{KeptBack, Kind, NewRange};
use crate::line::{INSIDE, Ids, Line};
use crate::protocol::{Release, StateRecord, StateWrite};
use crate::values::{Code, HostTime, Offset, Range, Refusal, StoreTime};

/// A generator that keeps a state file survives a restart while its store is away.
///
/// | verb | what it does | when |
/// |---|---|---|
/// | [`keep`](Generator::keep) | takes over what the file says | once, before the first ask |
/// | [`wants_write`](Generator::wants_write), [`write_at`](Generator::write_at), [`write_from`](Generator::write_from) | whether, and when, the file is to be written | with `wants_ask`, `poll_at`, `ask_from` |
/// | [`poll_write`](Generator::poll_write) | what is to be written | when `wants_write` says so |
/// | [`written`](Generator::written), [`not_written`](Generator::not_written) | goes on with what is on the disk, or without the file | once per write |
/// | [`retire`](Generator::retire) | closes; the rest stays this file's | at the end |
/// | [`give_up`](Generator::give_up) | closes, and gives the rest back, once the file is void | instead |
/// | [`leave`](Generator::leave) | keeps no file any more | in a forked child, after `forget` |
///
/// ```
/// use leafid_core::{
///     HostTime, MemoryStore, Snowflake, SnowflakeConfig, StateFile, StatePlace, StoreTime, refill,
/// };
/// let place = StatePlace { machine: [1; 16], boot: [2; 16], device: 3, lock: 4 };
/// let mut disk = [0; StateFile::BYTES];
/// // Writes what is due; a host syncs it before it says so.
/// let save = |ids: &mut Snowflake, now: HostTime, file: &mut StateFile, disk: &mut [u8]| {
///     while let Some(write) = ids.poll_write(now, now) {
///         let (at, slot) = file.slot(&write);
///         disk[at..at + slot.len()].copy_from_slice(&slot);
///         file.written();
///         ids.written(now);
///     }
/// };
/// let config = SnowflakeConfig::new("default", "host/1")?;
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// store.set_clock(StoreTime::new(1_800_000_000_000));
/// let mut now = HostTime::new(250);
///
/// let (mut file, found) = StateFile::read(place, &disk);
/// let mut ids = Snowflake::new(config, 7)?;
/// ids.keep(found.unwrap(), now, now)?;
/// refill(&mut ids, &mut store, || now, || [2; 16])?;
/// assert!(ids.next(now).is_err(), "the file does not name this window yet");
/// save(&mut ids, now, &mut file, &mut disk);
/// let last = ids.next(now)?;
/// drop(ids); // it is killed; its next life has no store
///
/// now = now.plus(2_000);
/// let (mut file, found) = StateFile::read(place, &disk);
/// let mut ids = Snowflake::new(config, 8)?;
/// ids.keep(found.unwrap(), now, now)?;
/// save(&mut ids, now, &mut file, &mut disk);
/// assert!(ids.next(now)? > last);
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
impl<L: Line> Snowflake<L> {
    /// Has this generator keep a state file, and takes over what it says: the window is this
    /// generator's from `reserved` on, once that is written. `since_boot` is the time since the
    /// machine was started, of which the file tells the store's. Once, and before the first ask.
    ///
    /// # Errors
    /// `STATE_INVALID` for the right of another namespace or layout than this generator's,
    /// `NOT_ENABLED` without the feature `state`, `REQUEST_INVALID` where a store is known already, and why the generator is at its end, if it
    /// is. Nothing was changed then.
    pub fn keep(
        &mut self,
        found: Option<StateRecord>,
        now: HostTime,
        since_boot: HostTime,
    ) -> Result<(), Refusal> {
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
        let store_now = record.since_boot.to_store(since_boot);
        let offset = Offset::new(store_now.get().saturating_sub(now.get()));
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
        let left = record.layout.time(record.end).since(store_now);
        self.kind.length_ms = u64::try_from(left).unwrap_or(0);
        (self.kind.ids, self.kind.lease) = (Some(ids), Some(lease));
        self.kind.keeping = Some(keeping);
        Ok(())
    }

    /// Keeps no state file any more: in a forked child, whose parent has it, after
    /// [`forget`](Generator::forget).
    pub fn leave(&mut self) {
        self.kind.keeping = None;
    }

    /// Whether [`poll_write`](Generator::poll_write) may give something.
    #[inline]
    pub fn wants_write(&self, now: HostTime) -> bool {
        self.write_at().is_some_and(|at| at <= now)
    }

    /// When the file is to be written (host's clock), if nothing else happens first; `None` while
    /// only a draw, an answer or the write that is out can make it due.
    pub fn write_at(&self) -> Option<HostTime> {
        let keeping = self.kind.keeping.filter(|keeping| keeping.out.is_none())?;
        let at = if keeping.is_due_now() { HostTime::MIN } else { self.raise_at(&keeping)? };
        Some(keeping.pause_until.map_or(at, |until| until.max(at)))
    }

    /// The cursor from which on it should be written, as [`ask_from`](Generator::ask_from).
    pub fn write_from(&self) -> u64 {
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

    /// Whether the file still gives a right that must not be used any more: after a `forget`, until
    /// that is written.
    pub fn is_voiding(&self) -> bool {
        self.kind.keeping.is_some_and(|keeping| keeping.void)
    }

    /// What is to be written into the file now, if anything, and synced: then
    /// [`written`](Generator::written) or [`not_written`](Generator::not_written).
    pub fn poll_write(&mut self, now: HostTime, since_boot: HostTime) -> Option<StateWrite> {
        if !self.wants_write(now) {
            return None;
        }
        let way = self.next_way(now);
        let keeping = self.kind.keeping.as_mut()?;
        let Some(way) = way else {
            keeping.demand = false;
            keeping.pause(now);
            return None;
        };
        keeping.demand = false;
        keeping.pause_until = None;
        keeping.out = Some(Out { way, stale: false, since: now });
        if bug!(ReserveAfterUse) {
            self.follow(way);
        }
        let named = match way {
            Way::Void => return Some(StateWrite::Void),
            Way::Raise(named) | Way::Open(named, _) | Way::Last(named) => named,
        };
        let store_now = self.line.now(now);
        Some(StateWrite::Record(StateRecord {
            namespace: self.kind.config.namespace,
            store: named.lease.store,
            worker: named.lease.worker,
            key: named.lease.key,
            layout: self.kind.ids?.layout,
            end: named.lease.end_tick,
            reserved: named.reserved,
            since_boot: Offset::new(store_now.get().saturating_sub(since_boot.get())),
        }))
    }

    /// The write is on the disk: what it was for is done. A release that waited for it is to be
    /// sent. What took long is reserved further ahead from now on.
    pub fn written(&mut self, now: HostTime) -> Option<Release> {
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
                // A line that was closed meanwhile stood in another window.
                (keeping.named, keeping.last) = (Some(named), None);
            }
        }
        if !stale && self.ended.is_none() && !bug!(ReserveAfterUse) {
            self.follow(way);
        }
        None
    }

    /// The write failed, and may stand in the file all the same. The file is abandoned: keep it
    /// locked as long as this generator lives. What it names may be a next life's, so the line stays
    /// below what the last write reserved, and a window is acquired that the file never names; no
    /// right is written into it any more, and only what must be void is still made so. Whether that
    /// is news, to be told once: [`Stats::state_code`](crate::Stats::state_code) says it from now on.
    pub fn not_written(&mut self, now: HostTime) -> bool {
        let Some(keeping) = self.kind.keeping.as_mut() else { return false };
        if keeping.out.take().is_none() {
            return false;
        }
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
            _ if bug!(AbandonedWindowUsed) => {}
            _ => {
                self.kind.lease = None;
                self.pending.drop_renewal();
            }
        }
        true
    }

    /// Closes, as [`retire`](Generator::retire), and gives back what of the window was not begun,
    /// for a holder that will not come back: once the file is void, [`written`](Generator::written)
    /// gives the release; without a file this does.
    pub fn give_up(&mut self) -> Option<Release> {
        let Some(opening) = self.kind.kept().map(|keeping| keeping.opening()) else {
            return self.retire();
        };
        if self.ended.is_some() {
            return None;
        }
        self.drop_range();
        self.ended = Some(Code::Closed);
        // Of a window that was never opened nothing is used.
        let (lease, cursor) = match opening {
            Some(fresh) => (Some(fresh.lease), fresh.range.positions.start),
            None => (self.kind.lease, self.line.stands_at()),
        };
        self.kind.lease = None;
        let release = lease.and_then(|lease| self.kind.released(lease, cursor));
        let keeping = self.kind.keeping.as_mut()?;
        keeping.void();
        if bug!(ReleaseLeavesFile) {
            keeping.void = false;
        }
        if keeping.void {
            keeping.release = release;
            return None;
        }
        release
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

    /// When the file is to be written though nobody waits for it: in time before what it reserves
    /// is over, while the generator is used.
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
        // It is opened strictly above where the line stands.
        let above = shape.tick(self.line.stands_at()).saturating_add(1);
        let start = shape.tick(fresh.range.positions.start).max(above);
        let reserved = self.reserve(start, lease, now)?;
        let named = Named { lease, reserved };
        Some(Way::Open(named, Fresh { lease, ..fresh }))
    }

    /// Up to where the file is to reserve, so that what is used next, from `start` on, lies a second
    /// below, or more where writes are slow; `None` where nothing of the lease is left.
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

impl<K: Kind, L: Line> Generator<K, L> {
    /// Whether what a caller was refused is granted, and only not written down yet.
    pub(in crate::generator) fn is_kept_back(&mut self, now: HostTime) -> bool {
        let (Some(mut draw), Some(kept)) = (self.kind.ids(), self.kind.kept_back()) else {
            return false;
        };
        if self.line.is_closed() || kept.opens {
            return kept.opens;
        }
        let stands = self.line.stands_at();
        let from = draw.limits(&mut self.line, now).map_or(stands, |limits| limits.start);
        from.max(stands) < kept.end
    }
}

impl Snowflakes {
    /// What it knows of a state file that it keeps, and has not abandoned.
    pub(super) fn kept(&self) -> Option<&Keeping> {
        self.keeping.as_ref().filter(|keeping| !keeping.abandoned)
    }

    pub(super) fn not_reserved(&self) -> Option<KeptBack> {
        let (keeping, ids) = (self.kept()?, self.ids?);
        let opens = keeping.opening().is_some();
        let lease = self.lease.or(keeping.named.map(|named| named.lease))?;
        let reserved = keeping.named.map_or(0, |named| named.reserved);
        let is_kept = opens || (!keeping.void && reserved < lease.end_tick);
        is_kept.then(|| KeptBack { end: ids.shape().position(lease.end_tick), opens })
    }
}
