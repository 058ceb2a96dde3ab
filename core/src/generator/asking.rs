//! Asking a store: when, for what, and what its answer is good for.
//!
//! One ask is out at a time. That makes every answer decidable: it answers the ask that is out, or
//! it is late, doubled or somebody else's and changes nothing.

use super::kind::{NewRange, Standing};
use super::{Generator, Kind};
use crate::line::{INSIDE, Ids, Line};
use crate::protocol::{Ask, Grant, Release};
use crate::values::{Code, HostTime, Offset, Refusal, Token};

/// What became of an answer.
///
/// ```
/// use leafid_core::{
///     HostTime, MemoryStore, Outcome, Snowflake, SnowflakeConfig, Store, StoreTime,
/// };
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// store.set_clock(StoreTime::new(1_800_000_000_000));
/// let mut ids = Snowflake::new(SnowflakeConfig::new("default", "host/1")?, 7)?;
/// let now = HostTime::new(0);
/// let ask = ids.poll_ask(now, [2; 16]).unwrap();
/// assert_eq!(ids.retire(), None, "closed while it waits: there is nothing to give back yet");
/// // The store has granted a window meanwhile. Nobody will use it, so its number is set free.
/// let grant = store.ask(&ask).map_err(|failure| failure.code)?;
/// let Outcome::Release(release) = ids.handle_grant(&grant, now, now)? else { panic!() };
/// assert!(store.release(&release).is_ok());
/// assert_eq!(ids.handle_grant(&grant, now, now), Ok(Outcome::Ignored), "it came twice");
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was applied.
    Applied,
    /// It answers no question that is open: late, repeated or foreign. Nothing was changed.
    Ignored,
    /// It came after the generator was closed; send this release.
    Release(Release),
}

impl<K: Kind, L: Line> Generator<K, L> {
    /// Whether [`Generator::poll_ask`] would give something: one comparison or two, for the hot
    /// path. A host with a driver (a thread, a timer) looks after each draw, and wakes it.
    #[inline]
    pub fn wants_ask(&self, now: HostTime) -> bool {
        self.ended.is_none()
            && self.pending.is_due(now)
            && (self.pending.out().is_some() || self.line.cursor() >= self.ask_from())
    }

    /// The cursor from which on more should be asked for: what a lock-free host compares with the
    /// end of each run that it drew. 0 is always (windows go by [`Generator::poll_at`]), `u64::MAX`
    /// never.
    pub fn ask_from(&self) -> u64 {
        if self.ended.is_some() { u64::MAX } else { self.kind.ask_from(&self.standing()) }
    }

    /// When to call [`Generator::poll_ask`] next (host's clock), if nothing else happens first;
    /// `None` while only drawing can make it due. It may lie in the past: then it is due.
    ///
    /// ```
    /// use leafid_core::{HostTime, MemoryStore, Snowflake, SnowflakeConfig, StoreTime, refill};
    /// let mut store: MemoryStore = MemoryStore::new([1; 16]);
    /// store.set_clock(StoreTime::new(1_800_000_000_000));
    /// let mut ids = Snowflake::new(SnowflakeConfig::new("default", "host/1")?, 7)?;
    /// let now = HostTime::new(0);
    /// assert!(ids.poll_at().is_some_and(|at| at <= now), "at once: it has nothing");
    /// refill(&mut ids, &mut store, || now, || [2; 16])?;
    /// // A first window has 10 s, and is renewed after 2 s, up to a fifth earlier.
    /// let at = ids.poll_at().unwrap();
    /// assert!((1_600..=2_000).contains(&at.since(now)));
    /// assert!(!ids.wants_ask(at.plus(-1)) && ids.wants_ask(at));
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    pub fn poll_at(&self) -> Option<HostTime> {
        let waits_for_draws = self.pending.out().is_none() && self.line.cursor() < self.ask_from();
        if self.ended.is_some() || waits_for_draws { None } else { Some(self.pending.due_at()) }
    }

    /// What to ask the store for now, if anything: once per need. `entropy` are 16 fresh random
    /// bytes, the request id of a new ask. One that got no answer within 3 s is given out again as
    /// it was: the store may have carried it out, and recognises an acquire by its id.
    ///
    /// ```
    /// use leafid_core::{HostTime, Segment, SegmentConfig};
    /// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
    /// let ms = HostTime::new;
    /// let ask = orders.poll_ask(ms(0), [2; 16]).unwrap();
    /// assert_eq!(orders.poll_ask(ms(2_999), [3; 16]), None, "one is out");
    /// assert_eq!(orders.poll_ask(ms(3_000), [4; 16]), Some(ask), "the same, to be sent again");
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    ///
    /// Give back what came of it: [`Generator::handle_grant`] or [`Generator::handle_failure`].
    pub fn poll_ask(&mut self, now: HostTime, entropy: [u8; 16]) -> Option<Ask> {
        if !self.wants_ask(now) {
            return None;
        }
        let standing = self.standing();
        let ask = match self.pending.out() {
            Some(ask) => ask,
            None => self.kind.ask(&standing, Token::new(entropy), now),
        };
        self.pending.send(ask, now);
        self.stats.asks = self.stats.asks.saturating_add(1);
        Some(ask)
    }

    /// Applies an answer. `sent` is the host's clock when this call left, `now` when it came back:
    /// between the two the store's time was read, which is all that is known about it, so do not
    /// round them. Late, repeated and foreign answers are harmless: [`Outcome`].
    ///
    /// # Errors
    /// `GRANT_INVALID` or `LAYOUT_MISMATCH` for an answer of no use: counted and backed off as a
    /// failure. `STORE_CHANGED` if another store answered: the generator is stopped.
    pub fn handle_grant(
        &mut self,
        grant: &Grant,
        sent: HostTime,
        now: HostTime,
    ) -> Result<Outcome, Refusal> {
        let Some(ask) = self.pending.answered(grant.request()) else {
            return Ok(Outcome::Ignored);
        };
        if self.ended.is_some() {
            let release = self.kind.release_unopened(&ask, grant).filter(|_| !bug!(LateGrantKept));
            return Ok(release.map_or(Outcome::Ignored, Outcome::Release));
        }
        let (store, store_time) = grant.origin();
        if self.store.is_some_and(|known| known != store) && !bug!(NoStoreCheck) {
            return Err(self.fail(Code::StoreChanged, None, now));
        }
        let offset = Offset::after(self.offset, sent, now, store_time);
        let heard = offset.to_store(now);
        // Before the first answer the host's clock says nothing about the store's time.
        let reached = if self.offset.is_some() { self.line.now(now).max(heard) } else { heard };
        // Time never goes back, but where the host's clock leapt over all that the store gives:
        // to wait until the store's time has caught up would be to give nothing for as long.
        let leapt = grant.over_at().is_some_and(|over_at| over_at <= reached) && !bug!(NeverLeaps);
        let store_now = if leapt { heard } else { reached };
        let range = match self.kind.vet(&ask, grant, &self.standing(), store_now) {
            Ok(range) => range,
            Err(code) => return Err(self.fail(code, None, now)),
        };
        self.store = Some(store);
        self.offset = Some(offset);
        self.line.put_offset(INSIDE, offset, store_now);
        let pause_ms = self.kind.accept(&ask, grant, now, store_now);
        // The answer may say that this many can never be had: nothing is leased for them any more,
        // even before their caller comes back to be refused.
        if self.wanted > self.kind.most() && !bug!(WantedStays) {
            self.wanted = 0;
        }
        let serves = self.apply(range);
        if self.ends_before(now, self.wanted) {
            self.wanted = 0;
        }
        if serves {
            self.pending.succeeded(now, pause_ms);
        } else {
            let dry = self.is_dry(now);
            self.pending.brought_nothing(now, dry);
        }
        self.stats.grants = self.stats.grants.saturating_add(1);
        Ok(Outcome::Applied)
    }

    /// The store failed: back off and ask again. IDs at hand go on being handed out, but for
    /// `STORE_CHANGED` and `STORE_WENT_BACK`, which stop the generator at once. A failure of an
    /// ask that is not out changes nothing.
    ///
    /// `STORE_UNAVAILABLE` and `TIMED_OUT` mean that no answer was read: the same ask, under the
    /// same request id, is sent again after the back-off. Any other code is an answer, and ends the
    /// request id.
    ///
    /// The pause is 100 ms, doubling to 800 ms while callers have nothing and to 10 s while there
    /// are IDs at hand, each ± 20 %; `retry_after_ms` where that is more, up to a minute.
    ///
    /// ```
    /// use leafid_core::{Code, HostTime, Segment, SegmentConfig};
    /// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
    /// let mut now = HostTime::new(0);
    /// for about in [100, 200, 400, 800, 800] {
    ///     let ask = orders.poll_ask(now, [2; 16]).unwrap();
    ///     orders.handle_failure(ask.request(), Code::StoreUnavailable, None, now);
    ///     let again = orders.poll_at().unwrap();
    ///     assert!((about * 8 / 10..=about * 12 / 10).contains(&again.since(now)));
    ///     now = again;
    /// }
    /// assert_eq!(orders.failure(), Some(Code::StoreUnavailable));
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    pub fn handle_failure(
        &mut self,
        request: Token,
        code: Code,
        retry_after_ms: Option<u32>,
        now: HostTime,
    ) {
        let unread = matches!(code, Code::StoreUnavailable | Code::TimedOut);
        let is_out = self.pending.out().is_some_and(|ask| ask.request() == request);
        if !is_out || self.ended.is_some() {
            return;
        }
        if !unread {
            self.pending.answered(request);
        }
        self.fail(code, retry_after_ms, now);
    }

    /// The host's clocks parted, as [`Clocks`](crate::Clocks) notices: a renewal that was not due
    /// yet is due. The time may be another by now and the window over, and the IDs that follow
    /// should not wait for the next renewal to find out.
    pub fn resumed(&mut self) {
        self.pending.hurry();
    }

    /// Why asking fails, until an ask succeeds: what a host tells a caller that waited in vain,
    /// and raises at once where [`Code::is_permanent`].
    pub fn failure(&self) -> Option<Code> {
        self.ended.or(self.pending.last())
    }

    /// Puts a range where it belongs: onto the end of the line, behind it, or into its place.
    /// Whether there is anything in it that could be handed out.
    fn apply(&mut self, range: NewRange) -> bool {
        self.have_until = self.have_until.max(Some(range.positions.end));
        let Some(range) = self.kind.hold(range) else { return true };
        if range.extends {
            self.line.extend(INSIDE, range.bound);
            return true;
        }
        let adjoins = |before: u64| K::DOUBLE_BUFFERED && before == range.positions.start;
        if let Some(next) = &mut self.next_range {
            if adjoins(next.positions.end) {
                next.positions.end = range.positions.end;
                next.bound = range.bound;
            } else {
                // Only a caller that wants more than is in hand brought this one here: the larger
                // of the two serves it.
                let larger = range.positions.len() > next.positions.len();
                let dropped = if larger { core::mem::replace(next, range) } else { range };
                self.drop_positions(dropped.positions.len());
                return larger;
            }
        } else if self.line.is_closed() {
            self.open(range);
        } else if adjoins(self.line_end()) {
            self.line.extend(INSIDE, range.bound);
        } else if K::DOUBLE_BUFFERED {
            self.next_range = Some(range);
        } else {
            self.open(range);
        }
        self.in_hand() > 0
    }

    /// Has the line go on in another range; what is left of the one in hand is dropped. A hole
    /// counts as a gap, the very first range does not.
    pub(super) fn open(&mut self, range: NewRange) {
        let Some(draw) = self.kind.ids() else { return };
        let rest = self.line_end().saturating_sub(self.line.cursor());
        self.drop_positions(rest);
        let is_first = self.line.is_closed() && self.line.stands_at() == 0;
        if !is_first {
            self.stats.gaps = self.stats.gaps.saturating_add(1);
        }
        self.line.close(INSIDE);
        self.line.open(INSIDE, draw.shape(), range.positions.start, range.bound);
    }

    /// Counts a failure and backs off. What the kind held may be lost by it; where two stores may
    /// have granted the same, nothing more is handed out at all.
    fn fail(&mut self, code: Code, retry_after_ms: Option<u32>, now: HostTime) -> Refusal {
        self.stats.failures = self.stats.failures.saturating_add(1);
        let dry = self.is_dry(now);
        if self.kind.refused(code) {
            self.pending.lost(code, now);
        } else {
            self.pending.failed(code, retry_after_ms, now, dry);
        }
        if code.stops() {
            self.drop_range();
            self.kind.stopped();
            self.ended = Some(code);
        }
        code.into()
    }

    /// Whether a caller would get nothing until another range comes: then pauses are short.
    fn is_dry(&mut self, now: HostTime) -> bool {
        if self.is_kept_back(now) {
            return false;
        }
        let dry = Refusal::new(self.kind.dry_code());
        match self.kind.ids() {
            Some(mut draw) => {
                self.next_range.is_none() && draw.ready(&mut self.line, now, 1, 0) == Err(dry)
            }
            None => true,
        }
    }

    /// The facts that an ask is made of, and an answer is held against.
    fn standing(&self) -> Standing {
        let next = self.next_range.map_or(0, |range| range.positions.len());
        let end = self.line_end().saturating_add(next);
        Standing { store: self.store, end, have_until: self.have_until, wanted: self.wanted }
    }
}
