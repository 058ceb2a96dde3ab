//! Asking a store: when, for what, and what its answer is good for.

use super::kind::{NewRange, Standing};
use super::{Generator, Kind};
use crate::line::{INSIDE, Ids, Line};
use crate::protocol::{Ask, Grant, Release};
use crate::values::{Code, HostTime, Offset, Refusal, Token};

/// What became of an answer.
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
    /// Whether [`Generator::poll_ask`] would give something: one comparison or two, for the hot path.
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
    /// `None` while only drawing can make it due.
    pub fn poll_at(&self) -> Option<HostTime> {
        let waits_for_draws = self.pending.out().is_none() && self.line.cursor() < self.ask_from();
        if self.ended.is_some() || waits_for_draws { None } else { Some(self.pending.due_at()) }
    }

    /// What to ask the store for now, if anything: once per need. `entropy` are 16 fresh random
    /// bytes. An ask that got no answer within 3 s is given out again as it was.
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

    /// Applies an answer. `sent` is the host's clock when this call left, `now` when it came back.
    /// Late, repeated and foreign answers are harmless.
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
        // The answer may say that so many can never be had: nothing is leased for them any more,
        // even before their caller comes back to be refused.
        if self.wanted > self.kind.most() && !bug!(WantedStays) {
            self.wanted = 0;
        }
        if self.apply(range) {
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
    /// same request id, is sent again after the back-off.
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

    /// The host was suspended, as [`Suspend`](crate::Suspend) notices: a renewal that was not due
    /// yet is due.
    pub fn resumed(&mut self) {
        self.pending.hurry();
    }

    /// Why asking fails, until an ask succeeds: what a host tells a caller that waited in vain,
    /// and raises at once where [`Code::is_permanent`].
    pub fn failure(&self) -> Option<Code> {
        self.ended.or(self.pending.last())
    }

    /// Whether there is anything in it that could be handed out.
    fn apply(&mut self, range: NewRange) -> bool {
        self.have_until = self.have_until.max(Some(range.positions.end));
        if range.extends {
            self.line.extend(INSIDE, range.bound);
            return true;
        }
        // Another image of this generator stood above all of it, and IDs ascend.
        if K::DOUBLE_BUFFERED && range.positions.end <= self.line.stands_at() {
            self.drop_positions(range.positions.len());
            return false;
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
            self.ended = Some(code);
        }
        code.into()
    }

    fn is_dry(&mut self, now: HostTime) -> bool {
        let dry = Refusal::new(self.kind.dry_code());
        match self.kind.ids() {
            Some(draw) => {
                self.next_range.is_none() && draw.ready(&mut self.line, now, 1, 0) == Err(dry)
            }
            None => true,
        }
    }

    fn standing(&self) -> Standing {
        let next = self.next_range.map_or(0, |range| range.positions.len());
        let end = self.line_end().saturating_add(next);
        let wanted = self.wanted.min(self.kind.most());
        Standing { store: self.store, end, have_until: self.have_until, wanted }
    }
}
