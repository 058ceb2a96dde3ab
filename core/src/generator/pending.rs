//! The ask that is out: when it is sent again, and when the next may be made.
//!
//! | after | an ask is out | pause | then |
//! |---|---|---|---|
//! | an ask was given out | yes | 3 s | it is given out again |
//! | a failure without an answer | yes | back-off | it is given out again |
//! | a refusal, an unusable answer | no | back-off, or what the store demands | a new one |
//! | a grant | no | up to the kind; none for numbers | a new one, when it is needed |
//! | the lease is lost | no | none | a new one |
//!
//! Pauses are durations, not points in time, which a host's clock that went back would put off by
//! hours.

use crate::generator::backoff;
use crate::protocol::{Ask, Failure};
use crate::values::{Code, HostTime, Token};

/// A pause that a store demands is cut to this, in ms: its reason (all numbers taken, a quota) may
/// end at any time.
const LONGEST_RETRY_MS: i64 = 60_000;
/// An ask that got no answer for this long is sent again, under the same request id.
const EXPIRES_MS: i64 = 3_000;
/// A generator with nothing at hand asks within this time, unless an ask is out or has failed.
const DRY_MS: i64 = 1_000;

/// The ask that is out, and the pause before the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending<A> {
    /// Given out, and no answer was read. Its request id stays, so that a store which has carried
    /// it out gives the same window again.
    out: Option<A>,
    /// When the pause began.
    since: HostTime,
    /// How long it lasts. A clock below `since` ends it: the clock went back by an unknown amount.
    pause_ms: i64,
    retry_after_ms: i64,
    failures: u32,
    last: Option<Code>,
    seed: u64,
}

impl<A: Copy + Into<Ask>> Pending<A> {
    /// With nothing out and the first ask due at once, wherever the host's clock begins.
    pub(crate) fn new(seed: u64) -> Pending<A> {
        Pending {
            out: None,
            since: HostTime::MIN,
            pause_ms: 0,
            retry_after_ms: 0,
            failures: 0,
            last: None,
            seed,
        }
    }

    pub(crate) fn is_due(&self, now: HostTime) -> bool {
        now.since(self.since) >= self.pause_ms || now < self.since
    }

    pub(crate) fn due_at(&self) -> HostTime {
        self.since.plus(self.pause_ms)
    }

    pub(crate) fn out(&self) -> Option<A> {
        self.out
    }

    /// Whether the ask that is out has this request.
    pub(crate) fn is_out(&self, request: Token) -> bool {
        self.out.is_some_and(|ask| ask.into().request() == request)
    }

    pub(crate) fn send(&mut self, ask: A, now: HostTime) {
        self.out = Some(ask);
        self.pause(now, EXPIRES_MS);
    }

    /// Why the last ask failed, until one succeeds.
    pub(crate) fn last(&self) -> Option<Code> {
        self.last
    }

    /// PROTOCOL R32: takes the ask of this request, if it is the one that is out: any answer that was
    /// read ends it.
    pub(crate) fn answered(&mut self, request: Token) -> Option<A> {
        let ask = self.out?;
        if !self.is_out(request) {
            return None;
        }
        self.out = None;
        Some(ask)
    }

    /// Notes that a grant was applied: no further ask for `pause_ms`.
    pub(crate) fn succeeded(&mut self, now: HostTime, pause_ms: i64) {
        self.out = None;
        self.failures = 0;
        self.retry_after_ms = 0;
        self.last = None;
        let drawn = self.since.get() as u64;
        self.pause(now, backoff::early_ms(self.seed, drawn, pause_ms));
    }

    /// Notes that an ask failed. One that was never answered stays out and is sent again unchanged.
    pub(crate) fn failed(&mut self, failure: Failure, now: HostTime, dry: bool) {
        self.failures = self.failures.saturating_add(1);
        self.last = Some(failure.code);
        self.retry_after_ms = failure.retry_after_ms.map_or(0, i64::from).min(LONGEST_RETRY_MS);
        self.pause(now, self.back_off(dry));
    }

    /// Notes that the lease is lost: an ask for a new one may go out at once. Earlier failures do not
    /// count against it, as they were of asks to keep the old one.
    pub(crate) fn lost(&mut self, code: Code, now: HostTime) {
        self.failures = 1;
        self.last = Some(code);
        self.retry_after_ms = 0;
        self.pause(now, 0);
    }

    /// Notes that a grant was applied of which nothing can be handed out: the pause is that of a
    /// failure, but no waiting caller is told of one.
    pub(crate) fn brought_nothing(&mut self, now: HostTime, dry: bool) {
        self.out = None;
        self.failures = self.failures.saturating_add(1);
        self.retry_after_ms = 0;
        self.last = None;
        self.pause(now, self.back_off(dry));
    }

    /// Cuts the pause to that of a dry generator, as the IDs at hand ran out during it. An ask that
    /// waits for its answer keeps its 3 s: to send it again sooner would only double the load.
    pub(crate) fn went_dry(&mut self) {
        if self.failures > 0 && self.out.is_none_or(|_| self.pause_ms != EXPIRES_MS) {
            self.pause_ms = self.pause_ms.min(self.back_off(true));
        } else if self.failures == 0 && self.out.is_none() {
            self.pause_ms = self.pause_ms.min(DRY_MS);
        }
    }

    /// Drops the ask that is out unless it is wanted, as its lease was given up.
    pub(crate) fn retain(&mut self, is_wanted: impl FnOnce(&A) -> bool) {
        self.out = self.out.filter(is_wanted);
        self.hurry();
    }

    /// Ends the pause, unless an answer is awaited or the last ask failed.
    pub(crate) fn hurry(&mut self) {
        if self.out.is_none() && self.failures == 0 {
            self.pause_ms = 0;
        }
    }

    pub(crate) fn forget(&mut self) {
        *self = Pending::new(self.seed);
    }

    /// The pause after the failures so far; what the store demanded, if that is longer.
    fn back_off(&self, dry: bool) -> i64 {
        backoff::pause_ms(self.seed, self.failures, dry).max(self.retry_after_ms)
    }

    fn pause(&mut self, now: HostTime, ms: i64) {
        self.since = now;
        self.pause_ms = ms;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_may_demand_a_pause_of_a_minute_at_most() {
        let mut asking: Pending<Ask> = Pending::new(7);
        let begin = HostTime::new(0);
        let mut failed = |ms| {
            let failure = Failure { code: Code::WorkersExhausted, retry_after_ms: Some(ms) };
            asking.failed(failure, begin, true);
            asking.due_at().get()
        };
        assert_eq!(failed(30_000), 30_000);
        assert_eq!(failed(u32::MAX), LONGEST_RETRY_MS);
        assert!(!asking.is_due(HostTime::new(59_999)) && asking.is_due(HostTime::new(60_000)));
        // After a clock went back, the time that has passed is unknown.
        assert!(asking.is_due(HostTime::new(-1)));
    }
}
