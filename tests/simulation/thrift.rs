//! Checks when a holder asks: not without need, not too soon after a failure, and for a renewal
//! before the window is over.

use leafid_core::{Ask, Code, HostTime, Token};

use crate::verdict::{Verdict, fail};

/// The number of leases in a row, without a draw, that no need explains …
const IDLE_ASKS: u32 = 6;
/// … if they come faster than a back-off would let them, in ms.
const IDLE_MS: i64 = 1_500;
/// Windows that are granted faster than this (host's clock, in ms) are more than any need …
const SOON_MS: i64 = 75;
/// … if it happens this often in a row.
const SOON_GRANTS: u32 = 6;
/// The shortest first pause after a failure, in ms; it doubles three times.
const FIRST_PAUSE_MS: i64 = 80;
/// The longest pause after an answer that brought nothing, in ms.
const LONGEST_PAUSE_MS: i64 = 12_500;
/// How long a store's limits are taken for granted, in ms.
const BELIEVED_MS: i64 = 10_000;
/// The longest time between renewals of a window, in ms.
const RENEWED_MS: i64 = 61_000;

#[derive(Clone, Copy, Debug, Default)]
pub struct Thrift {
    /// The ask under way: its request, and whether it is for a first window.
    out: Option<(Token, bool)>,
    /// Leases of numbers since the last draw or failure, and when they began.
    idle: u32,
    idle_since: HostTime,
    /// The stock at its last ask.
    idle_stock: u64,
    /// The count that a caller waits for, and whether one did at the last ask.
    waits_for: u64,
    for_caller: bool,
    /// Failures in a row, the last one's code and its time (host's clock).
    failures: u32,
    failed: Option<(Code, HostTime)>,
    /// When a window was last granted, and how much of it was left then, in ms.
    granted: Option<(HostTime, i64)>,
    soon: u32,
    /// When a store last told a tag's limits (host's clock).
    heard: Option<HostTime>,
    /// The ask of one number that was to learn the limits, and how many were leased so in all: they
    /// may be dropped for the next whole range. A store that is asked twice leases twice.
    look: Option<Token>,
    looked: u64,
}

/// The stock of a holder of numbers when it asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stock {
    pub in_hand: u64,
    pub ask_below: u64,
    /// The most numbers of a lease.
    pub most: u64,
}

impl Thrift {
    /// Checks an ask of the generator, which has this stock of numbers.
    pub fn asks(&mut self, ask: &Ask, stock: Stock, now: HostTime) -> Verdict {
        let again = self.out.is_some_and(|(request, _)| request == ask.request());
        self.out = Some((ask.request(), matches!(ask, Ask::Acquire(_))));
        if let Some((code, at)) = self.failed {
            let doublings = self.failures.saturating_sub(1).min(3);
            let least = match code {
                // Another worker number can be had at once.
                Code::LeaseLost => 0,
                _ => FIRST_PAUSE_MS << doublings,
            };
            let passed = now.since(at);
            if passed < least {
                fail!(
                    Greedy,
                    "{passed} ms after failure {} in a row ({code}): {ask:?}",
                    self.failures
                );
            }
        }
        if matches!(ask, Ask::Segment(_)) && !again {
            self.for_caller = self.waits_for > 0;
            self.idles(now, stock.in_hand, ask)?;
            let looks = self.looks(ask, stock);
            let wanted = if looks { self.waits_for } else { self.waits_for.min(stock.most) };
            let enough = stock.ask_below.max(wanted);
            if looks {
                self.look = Some(ask.request());
                self.looked += 1;
            }
            if looks && self.knows_limits(now) {
                fail!(Greedy, "{stock:?}, heard at {:?}: {ask:?}", self.heard);
            }
            if stock.in_hand >= enough.max(1) {
                fail!(Greedy, "{stock:?} and {} waited for: {ask:?}", self.waits_for);
            }
        }
        Ok(())
    }

    /// Whether an ask for one number only looks whether the store's limit, below what the caller wants,
    /// has been raised.
    fn looks(&self, ask: &Ask, stock: Stock) -> bool {
        let Ask::Segment(ask) = ask else { return false };
        let above = ask.at_least.is_some_and(|n| u64::from(n) > stock.most);
        above && ask.step == Some(1)
    }

    /// Whether it has to take the store's limits of a tag for granted.
    pub fn knows_limits(&self, now: HostTime) -> bool {
        self.heard.is_some_and(|at| (0..BELIEVED_MS).contains(&now.since(at)))
    }

    fn idles(&mut self, now: HostTime, in_hand: u64, ask: &Ask) -> Verdict {
        // Gathering a stock bit by bit is not idle.
        if self.idle == 0 || in_hand > self.idle_stock {
            self.idle = 0;
            self.idle_since = now;
        }
        self.idle_stock = in_hand;
        self.idle += 1;
        if self.idle <= IDLE_ASKS {
            return Ok(());
        }
        let passed = now.since(self.idle_since);
        if (0..IDLE_MS).contains(&passed) {
            fail!(Greedy, "{} leases in {passed} ms, nothing drawn: {ask:?}", self.idle);
        }
        self.idle = 0;
        Ok(())
    }

    /// Checks that numbers were dropped only for a caller that wanted more than the stock, or were
    /// leased by looks.
    pub fn dropped(&self, numbers: u64) -> Verdict {
        if numbers > self.looked && !self.for_caller {
            fail!(Greedy, "{numbers} numbers dropped on arrival, and nobody waited");
        }
        Ok(())
    }

    /// Notes that a caller wants this count at once, and whether it got it.
    pub fn wanted(&mut self, count: u64, had: Result<(), Code>) {
        match had {
            Ok(()) | Err(Code::CountInvalid | Code::TagSpent) => self.waits_for = 0,
            Err(_) => self.waits_for = count,
        }
    }

    /// How long the present window still lasts at most, if it is known.
    pub fn window_left(&self, now: HostTime) -> Option<i64> {
        self.granted.map(|(at, left)| left.saturating_sub(now.since(at)))
    }

    /// Checks that a holder that asks for nothing has time left. One with nothing in hand may wait longer,
    /// until its window lies ahead of its position.
    pub fn wants_nothing(&self, now: HostTime, in_hand: u64) -> Verdict {
        let Some((at, left)) = self.granted.filter(|_| self.out.is_none()) else { return Ok(()) };
        let passed = now.since(at);
        let least = if in_hand == 0 { LONGEST_PAUSE_MS } else { 250 };
        if passed > RENEWED_MS || (left > 0 && passed > (left / 2).max(least)) {
            fail!(Unrenewed, "{passed} ms after a grant of which {left} ms were left");
        }
        Ok(())
    }

    pub fn drew(&mut self) {
        self.idle = 0;
    }

    /// Notes that an answer to this request was applied; `left` is the rest of a window, in ms.
    pub fn granted(&mut self, request: Token, now: HostTime, left: Option<i64>) -> Verdict {
        self.ends(request);
        (self.failures, self.failed) = (0, None);
        self.heard = Some(now);
        self.looked += u64::from(self.look == Some(request));
        let before = self.granted;
        self.granted = left.map(|left| (now, left));
        let Some((at, _)) = before.filter(|_| left.is_some()) else { return Ok(()) };
        self.soon = if now.since(at) < SOON_MS { self.soon + 1 } else { 0 };
        if self.soon > SOON_GRANTS {
            fail!(Greedy, "{} windows in a row, each within {SOON_MS} ms", self.soon);
        }
        Ok(())
    }

    /// Notes that the ask of this request failed, if it is under way; `read`: whether by an answer.
    pub fn failed(&mut self, request: Token, code: Code, now: HostTime, read: bool) {
        if self.out.is_none_or(|(out, _)| out != request) {
            return;
        }
        if read {
            self.out = None;
        }
        self.idle = 0;
        // Earlier failures concerned the lease that is now lost.
        self.failures = if code == Code::LeaseLost { 1 } else { self.failures + 1 };
        self.failed = Some((code, now));
        self.granted = None;
    }

    /// Whether the generator still waits for the answer to this acquire.
    pub fn waits_for_window(&self, request: Token) -> bool {
        self.out == Some((request, true))
    }

    pub fn ends(&mut self, request: Token) {
        if self.out.is_some_and(|(out, _)| out == request) {
            self.out = None;
        }
    }

    /// Notes that it gave up its window, and with it the renewal under way.
    pub fn abandoned(&mut self) {
        self.out = self.out.filter(|(_, acquires)| *acquires);
        self.disturbed();
    }

    /// Notes a fault of its clock, or a call to hurry: the time of its next ask proves nothing.
    pub fn disturbed(&mut self) {
        (self.failed, self.granted, self.soon) = (None, None, 0);
    }
}
