//! How often a holder asks, and what for: nobody may ask without need, or too soon after a
//! failure, or wait with a renewal until the window is over.

use leafid_core::{Ask, Code, HostTime, Token};

use crate::verdict::{Verdict, fail};

/// So many leases in a row of which nothing is drawn are more than any need explains …
const IDLE_ASKS: u32 = 6;
/// … if they come faster than a back-off would let them, in ms.
const IDLE_MS: i64 = 1_500;
/// Windows that are granted faster than this (host's clock, in ms) are more than any need …
const SOON_MS: i64 = 75;
/// … if it happens so often in a row.
const SOON_GRANTS: u32 = 6;
/// The first pause after a failure at its shortest, in ms; it doubles three times.
const FIRST_PAUSE_MS: i64 = 80;
/// The longest pause after an answer that brought nothing, in ms.
const LONGEST_PAUSE_MS: i64 = 12_500;
/// For so long a store's limits are taken for granted, in ms.
const BELIEVED_MS: i64 = 10_000;
/// A window is renewed at least so often, in ms.
const RENEWED_MS: i64 = 61_000;

#[derive(Clone, Copy, Debug, Default)]
pub struct Thrift {
    /// The ask that the generator has out: its request, and whether a window would be its first.
    out: Option<(Token, bool)>,
    /// Leases of numbers since something was drawn, or failed, and when they began.
    idle: u32,
    idle_since: HostTime,
    /// What was at hand when it asked last.
    idle_stock: u64,
    /// How many numbers at once a caller waits for, and whether one did when it asked last.
    waits_for: u64,
    for_caller: bool,
    /// Failures in a row, the last one's code and when it was heard (host's clock).
    failures: u32,
    failed: Option<(Code, HostTime)>,
    /// When a window was granted last, and how much of it was left then, in ms.
    granted: Option<(HostTime, i64)>,
    soon: u32,
    /// When a store last said how much a tag gives (host's clock).
    heard: Option<HostTime>,
    /// The ask that leased one number to hear that, and how many it ever leased so: they may be
    /// dropped for the next whole range. A store that is asked twice leases twice.
    look: Option<Token>,
    looked: u64,
}

/// What a holder of numbers has when it asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stock {
    pub in_hand: u64,
    pub ask_below: u64,
    /// How many a lease has at most.
    pub most: u64,
}

impl Thrift {
    /// Its generator asks; of numbers it has this in stock.
    pub fn asks(&mut self, ask: &Ask, stock: Stock, now: HostTime) -> Verdict {
        let again = self.out.is_some_and(|(request, _)| request == ask.request());
        self.out = Some((ask.request(), matches!(ask, Ask::Acquire(_))));
        if let Some((code, at)) = self.failed {
            let doublings = self.failures.saturating_sub(1).min(3);
            let least = match code {
                // Another number can be had at once.
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

    /// Whether it asks for more than it could have at once, to hear whether that is more by now: for
    /// one number, where it cannot.
    fn looks(&self, ask: &Ask, stock: Stock) -> bool {
        let Ask::Segment(ask) = ask else { return false };
        let above = ask.at_least.is_some_and(|n| u64::from(n) > stock.most);
        above && ask.step == Some(1)
    }

    /// Whether it has to take for granted what the store said of a tag's limits.
    pub fn knows_limits(&self, now: HostTime) -> bool {
        self.heard.is_some_and(|at| (0..BELIEVED_MS).contains(&now.since(at)))
    }

    fn idles(&mut self, now: HostTime, in_hand: u64, ask: &Ask) -> Verdict {
        // Little by little is not in vain.
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

    /// An answer made it drop so many numbers: only for a caller that wanted more than is at hand, or
    /// those that looks had leased.
    pub fn dropped(&self, numbers: u64) -> Verdict {
        if numbers > self.looked && !self.for_caller {
            fail!(Greedy, "{numbers} numbers dropped on arrival, and nobody waited");
        }
        Ok(())
    }

    /// A caller wants so many at once, and has them or not.
    pub fn wanted(&mut self, count: u64, had: Result<(), Code>) {
        match had {
            Ok(()) | Err(Code::CountInvalid | Code::TagSpent) => self.waits_for = 0,
            Err(_) => self.waits_for = count,
        }
    }

    /// For how long the window in hand still lasts at most, if it is known.
    pub fn window_left(&self, now: HostTime) -> Option<i64> {
        self.granted.map(|(at, left)| left.saturating_sub(now.since(at)))
    }

    /// It was looked at and wants nothing: there must be time to. Who has nothing in hand waits
    /// until what it has lies ahead of where it stands.
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

    /// An answer to this request was applied; of a window so many ms are `left`.
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

    /// The ask of this request failed, if it is out; `read` is whether an answer said so.
    pub fn failed(&mut self, request: Token, code: Code, now: HostTime, read: bool) {
        if self.out.is_none_or(|(out, _)| out != request) {
            return;
        }
        if read {
            self.out = None;
        }
        self.idle = 0;
        // What failed before failed to keep what now is lost.
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

    /// It gave up what it held, and with it the renewal that is out.
    pub fn abandoned(&mut self) {
        self.out = self.out.filter(|(_, acquires)| *acquires);
        self.disturbed();
    }

    /// Its clock did something, or it was told to hurry: when it asks next proves nothing.
    pub fn disturbed(&mut self) {
        (self.failed, self.granted, self.soon) = (None, None, 0);
    }
}
