//! Asking a store: when, for what, and how an answer is applied.
//!
//! One ask is out at a time. So every answer either belongs to that ask, or is late, repeated or
//! another generator's and changes nothing.

use super::kind::{NewRange, Standing};
use super::{Generator, Kind, Outcome};
use crate::line::{INSIDE, Ids, Line};
use crate::protocol::{Failure, Grant};
use crate::values::{Code, HostTime, Offset, Refusal, Token};

impl<K: Kind, L: Line> Generator<K, L> {
    #[inline]
    pub(crate) fn is_ask_due(&self, now: HostTime) -> bool {
        !self.is_resting && self.is_ask_due_to_callers(now)
    }

    /// Whether an ask would be due if a caller waited for it.
    #[inline]
    pub(super) fn is_ask_due_to_callers(&self, now: HostTime) -> bool {
        self.ended.is_none()
            && self.pending.is_due(now)
            && (self.pending.out().is_some() || self.line.cursor() >= self.ask_from())
    }

    /// The cursor from which on an ask is due.
    pub(super) fn ask_from(&self) -> u64 {
        if self.ended.is_some() { u64::MAX } else { self.kind.ask_from(&self.standing()) }
    }

    /// When an ask is due; `None` while only draws make it due.
    pub(super) fn ask_at(&self) -> Option<HostTime> {
        let waits_for_draws = self.pending.out().is_none() && self.line.cursor() < self.ask_from();
        let is_never = self.ended.is_some() || self.is_resting || waits_for_draws;
        if is_never { None } else { Some(self.pending.due_at()) }
    }

    /// The ask to send now, if any: one per need.
    pub(crate) fn poll_ask(&mut self, now: HostTime, entropy: [u8; 16]) -> Option<K::Ask> {
        if !self.is_ask_due(now) {
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

    pub(super) fn granted(
        &mut self,
        grant: K::Grant,
        sent: HostTime,
        now: HostTime,
    ) -> Result<Outcome, Refusal> {
        let facts: Grant = grant.into();
        let Some(ask) = self.pending.answered(facts.request()) else {
            return Ok(Outcome::Ignored);
        };
        if self.ended.is_some() {
            let release = self.kind.release_unopened(&ask, &grant);
            return Ok(release.map_or(Outcome::Ignored, Outcome::Release));
        }
        let (store, store_time) = facts.origin();
        if self.store.is_some_and(|known| known != store) {
            return Err(self.fail(Code::StoreChanged.into(), now));
        }
        let offset = Offset::after(self.offset, sent, now, store_time);
        let heard = offset.to_store(now);
        // Before the first answer nothing relates the host's clock to the store's.
        let reached = if self.offset.is_some() { self.line.now(now).max(heard) } else { heard };
        // Time never goes back, unless the host's clock leapt beyond all that the store gives: else
        // no ID could be had until the store's time has caught up.
        let leapt = facts.over_at().is_some_and(|over_at| over_at <= reached);
        let store_now = if leapt { heard } else { reached };
        let range = match self.kind.vet(&ask, &grant, &self.standing(), store_now) {
            Ok(range) => range,
            Err(code) => return Err(self.fail(code.into(), now)),
        };
        self.store = Some(store);
        self.offset = Some(offset);
        self.line.put_offset(INSIDE, offset, store_now);
        let (pause_ms, range_now) = self.kind.accept(&ask, &grant, range, now, store_now);
        // The answer may show that this many can never be had: stop leasing for them at once, not only
        // when the caller comes back to be refused.
        if self.wanted > self.kind.most() {
            self.wanted = 0;
        }
        self.have_until = self.have_until.max(Some(range.positions.end));
        let serves = range_now.is_none_or(|range| self.apply(range));
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

    /// Notes that the ask of this request failed; ignores a request that is not out.
    pub(super) fn failed(
        &mut self,
        request: Token,
        failure: Failure,
        now: HostTime,
    ) -> Result<Outcome, Refusal> {
        let unread = matches!(failure.code, Code::StoreUnavailable | Code::TimedOut);
        if self.ended.is_some() || !self.pending.is_out(request) {
            return Ok(Outcome::Ignored);
        }
        if !unread {
            self.pending.answered(request);
        }
        Err(self.fail(failure, now))
    }

    /// Makes a renewal due at once: call it when [`Clocks`](crate::Clocks) notices a leap. The time may
    /// have changed and the window be over, which should not wait for the next renewal to show.
    pub fn resumed(&mut self) {
        self.pending.hurry();
    }

    /// Why the last ask failed, until one succeeds. A host tells it to a caller that waited in vain, and
    /// raises it at once where [`Code::is_permanent`].
    pub fn failure(&self) -> Option<Code> {
        self.ended.or(self.pending.last())
    }

    /// Puts a range onto the end of the line, behind it, or in its place; whether any of it can be
    /// handed out.
    fn apply(&mut self, range: NewRange) -> bool {
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
                // Only a caller that wants more than is in hand causes this third range: keep the
                // larger of the two that wait, for that caller.
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

    /// Moves the line to another range and drops what is left of the one in hand. A hole between them
    /// counts as a gap; the space before the very first range does not.
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

    /// Counts a failure and backs off. The lease may be lost by it; where two stores may have granted
    /// the same range, the generator ends.
    fn fail(&mut self, failure: Failure, now: HostTime) -> Refusal {
        let code = failure.code;
        self.stats.failures = self.stats.failures.saturating_add(1);
        let dry = self.is_dry(now);
        if self.kind.refused(code) {
            self.pending.lost(code, now);
        } else {
            self.pending.failed(failure, now, dry);
        }
        if code.stops() {
            self.drop_range();
            self.ended = Some(code);
        }
        code.into()
    }

    /// Whether a caller would get nothing before another range comes, so that pauses must be short.
    fn is_dry(&mut self, now: HostTime) -> bool {
        if self.kind.is_kept_back(&mut self.line, now) {
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

    /// The facts from which an ask is made and against which an answer is checked.
    fn standing(&self) -> Standing {
        let next = self.next_range.map_or(0, |range| range.positions.len());
        let end = self.line_end().saturating_add(next);
        Standing { store: self.store, end, have_until: self.have_until, wanted: self.wanted }
    }
}
