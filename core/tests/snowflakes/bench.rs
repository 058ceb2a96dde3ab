//! A generator beside the oracle: what happens to one happens to the other.

use leafid_core::{
    Ask, Code, Grant, HostTime, Layout, Line, Outcome, Range, Refusal, Snowflake, StoreTime, Token,
    WindowGrant,
};
use proptest::prelude::*;

use crate::common::{entropy, token};
use crate::events::Event;
use crate::oracle::{Limits, Oracle};

/// A generator and the oracle, under the same clocks.
pub struct Bench<L: Line> {
    pub generator: Snowflake<L>,
    pub oracle: Oracle,
    pub layout: Layout,
    pub max_ahead_ms: u32,
    /// The host's clock, and the store's.
    pub host: i64,
    pub store: i64,
    pub offset: Option<i64>,
    /// The store's time as the generator knows it never lies below this.
    pub not_before: i64,
    /// Whether every reading of the clock is remembered, or only those at answers.
    pub remembers: bool,
    pub known: Option<Token>,
    pub lease: Option<Token>,
    pub asked: u64,
    pub tally: [u64; 4],
}

impl<L: Line> Bench<L> {
    fn now(&mut self) -> i64 {
        let now = self.host.saturating_add(self.offset.unwrap_or(0)).max(self.not_before);
        if self.remembers {
            self.not_before = now;
        }
        now
    }

    /// Floor and ceiling by the oracle's own reckoning, in wide numbers.
    fn limits(&mut self) -> Result<Limits, Code> {
        if !self.oracle.open {
            return Err(Code::WindowSpent);
        }
        let (epoch, tick_ms) =
            (i128::from(self.layout.epoch_ms()), i128::from(self.layout.tick_ms()));
        let now = i128::from(self.now());
        let tick = (now - epoch).div_euclid(tick_ms);
        if now < epoch || tick >= i128::from(self.layout.end_tick()) {
            return Err(Code::TimeOverflow);
        }
        let last = (now + i128::from(self.max_ahead_ms) - epoch).div_euclid(tick_ms);
        let per_tick = u128::from(self.layout.per_tick());
        let position = |tick: i128| u128::try_from(tick).unwrap() * per_tick;
        // At the layout's end it is the window that ends.
        let ends = last + 1 >= i128::from(self.layout.end_tick());
        let ceiling = if ends { u128::MAX } else { position(last + 1) };
        Ok(Limits { floor: position(tick), ceiling })
    }

    fn expected(&mut self, n: usize) -> Result<Vec<u64>, Code> {
        if let Some(code) = self.oracle.stopped {
            return Err(code);
        }
        let limits = self.limits()?;
        let mut ids = Vec::new();
        while ids.len() < n {
            match self.oracle.next(&self.layout, &limits) {
                Ok(id) => ids.push(id),
                Err(code) if ids.is_empty() => return Err(code),
                Err(_) => break,
            }
        }
        Ok(ids)
    }

    fn draw(&mut self, n: usize) -> Result<(), TestCaseError> {
        let mut ids = vec![0; n];
        let now = HostTime::new(self.host);
        let gave = if n == 1 {
            self.generator.next(now).map(|id| vec![id])
        } else {
            self.generator.fill_available(now, &mut ids).map(|filled| ids[..filled].to_vec())
        };
        let expected = self.expected(n);
        if let Err(refusal) = gave {
            self.tally[1] += 1;
            self.until(refusal)?;
        }
        let same_word = |code| if code == Code::ClockBehind { Code::SequenceSpent } else { code };
        prop_assert_eq!(gave.map_err(|refusal| same_word(refusal.code)), expected);
        Ok(())
    }

    /// A refusal that ends at some time holds just before it, and not any more then.
    fn until(&mut self, refusal: Refusal) -> Result<(), TestCaseError> {
        let waits = matches!(refusal.code, Code::SequenceSpent | Code::ClockBehind);
        prop_assert_eq!(refusal.until.is_some(), waits, "{:?}", refusal);
        let Some(until) = refusal.until else { return Ok(()) };
        let ahead = i128::from(self.max_ahead_ms) + i128::from(self.offset.unwrap_or(0));
        let (epoch, tick_ms) = (self.layout.epoch_ms(), self.layout.tick_ms());
        let ceiling =
            |host: i128| (host + ahead - i128::from(epoch)).div_euclid(tick_ms.into()) + 1;
        let stands = i128::from(self.oracle.cursor / self.layout.per_tick());
        let until = i128::from(until.get());
        if until.abs() < 1 << 60 {
            prop_assert!(ceiling(until - 1) <= stands && ceiling(until) > stands, "{}", until);
        }
        let behind = stands > ceiling(i128::from(self.host)).max(0) + 1;
        prop_assert!(refusal.code != Code::ClockBehind || behind, "{:?}", refusal);
        Ok(())
    }

    /// Lets every pause pass without moving the clock on, as the sender of an ask would see it.
    fn ask(&mut self) -> Option<Ask> {
        let due = self.generator.poll_at()?.max(HostTime::new(self.host));
        self.asked += 1;
        self.generator.poll_ask(due, entropy(self.asked))
    }

    /// Lets it happen to both, and compares.
    pub fn take(&mut self, event: &Event) -> Result<(), TestCaseError> {
        match *event {
            Event::Next => self.draw(1)?,
            Event::Fill(n) => self.draw(n)?,
            Event::Grant { ticks, early, worker } => self.granted(ticks, early, worker)?,
            Event::Near { moved, worker } => {
                let Some(ask) = self.ask() else { return Ok(()) };
                let Ask::Renew(renew) = ask else { return self.hear_nothing(&ask) };
                let start = renew.have_until.saturating_add_signed(moved);
                let grant = self.grant_of(
                    &ask,
                    renew.worker ^ worker,
                    Range::new(start, renew.have_until.max(start) + 5),
                );
                self.hear(&ask, grant)?;
            }
            Event::Failure(code) => {
                let Some(ask) = self.ask() else { return Ok(()) };
                let now = HostTime::new(self.host);
                // It looks at the line to see whether it is dry.
                let _ = self.limits();
                self.generator.handle_failure(ask.request(), code, None, now);
                self.fails(code);
            }
            Event::Garbage { ticks, worker, echoes, right_store, right_layout } => {
                let Some(ask) = self.ask() else { return Ok(()) };
                let mut grant = self.grant_of(&ask, worker, ticks);
                if ticks.len() > 1_000 {
                    grant.ticks.end = ticks.start + ticks.len() % 50;
                }
                if !right_store {
                    grant.store = token(u64::MAX);
                }
                if !right_layout {
                    grant.layout = Layout::JS53;
                }
                if !echoes {
                    grant.request = token(u64::MAX);
                }
                self.hear(&ask, grant)?;
            }
            Event::Forget => {
                self.generator.forget();
                self.oracle.close();
                self.lease = None;
            }
            Event::Host(ms) => self.move_clock(ms),
            Event::Store(ms) => self.store = self.store.saturating_add(ms),
        }
        prop_assert_eq!(self.generator.stats().ids, self.oracle.given.len() as u64);
        prop_assert_eq!(self.generator.stats().in_hand, self.at_hand());
        Ok(())
    }

    /// No answer comes: the ask is sent again.
    fn hear_nothing(&mut self, ask: &Ask) -> Result<(), TestCaseError> {
        let again = self.ask();
        prop_assert!(again.is_none_or(|again| again == *ask), "{:?} after {:?}", again, ask);
        Ok(())
    }

    fn at_hand(&self) -> u64 {
        self.oracle.left.len() as u64
    }

    /// Both clocks move on; the host's alone goes back, or to an end of its range.
    fn move_clock(&mut self, ms: i64) {
        let extreme = ms == i64::MIN || ms == i64::MAX;
        if extreme && self.remembers {
            self.host = ms;
        } else if ms >= 0 || self.remembers {
            let ms = if extreme { 1 } else { ms };
            self.host = self.host.saturating_add(ms);
            self.store = self.store.saturating_add(ms.max(0));
        }
    }

    fn granted(&mut self, ticks: u64, early: u64, worker: u32) -> Result<(), TestCaseError> {
        let Some(ask) = self.ask() else { return Ok(()) };
        let Ok(now) = self.layout.tick(StoreTime::new(self.store)) else { return Ok(()) };
        let worker = worker % self.layout.workers() as u32;
        let grant = match ask {
            // So long after its end somebody else has the number.
            Ask::Renew(renew) if now > renew.have_until + 100 => {
                let _ = self.limits();
                let now = HostTime::new(self.host);
                self.generator.handle_failure(renew.request, Code::LeaseLost, None, now);
                self.fails(Code::LeaseLost);
                return Ok(());
            }
            Ask::Renew(renew) => {
                let end = renew.have_until.max(now + ticks).min(self.layout.end_tick());
                self.grant_of(&ask, renew.worker, Range::new(renew.have_until, end))
            }
            _ => {
                let start = now.saturating_sub(early);
                let end = (start + ticks).min(self.layout.end_tick());
                self.grant_of(&ask, worker, Range::new(start, end))
            }
        };
        self.hear(&ask, grant)?;
        let now = HostTime::new(self.host);
        let again = self.generator.handle_grant(&Grant::Window(grant), now, now);
        prop_assert_eq!(again, Ok(Outcome::Ignored), "a repeated answer");
        Ok(())
    }

    fn grant_of(&self, ask: &Ask, worker: u32, ticks: Range) -> WindowGrant {
        WindowGrant {
            request: ask.request(),
            store: self.known.unwrap_or(token(0)),
            worker,
            ticks,
            layout: self.layout,
            now: StoreTime::new(self.store),
            max_window_ms: 600_000,
        }
    }

    /// Gives the generator an answer of any kind, and compares what it makes of it.
    fn hear(&mut self, ask: &Ask, grant: WindowGrant) -> Result<(), TestCaseError> {
        let expected = self.expect(ask, &grant);
        let now = HostTime::new(self.host);
        let outcome = self.generator.handle_grant(&Grant::Window(grant), now, now);
        self.tally[3] += u64::from(outcome.is_err());
        prop_assert_eq!(outcome.map_err(|refusal| refusal.code), expected, "{:?}", grant);
        if let Err(code) = expected {
            // It looks at the line to see whether it is dry.
            let _ = self.limits();
            self.fails(code);
        }
        Ok(())
    }

    fn expect(&mut self, ask: &Ask, grant: &WindowGrant) -> Result<Outcome, Code> {
        if grant.request != ask.request() {
            return Ok(Outcome::Ignored);
        }
        if self.known.is_some_and(|known| known != grant.store) {
            return Err(Code::StoreChanged);
        }
        // The answer took no time, so that it says exactly what the offset is.
        let offset = self.store.saturating_sub(self.host);
        let heard = self.host.saturating_add(offset);
        let reached = if self.offset.is_some() { self.now().max(heard) } else { heard };
        // A clock that leapt over the whole answer is put right by it.
        let leapt = self.over_at(grant) <= i128::from(reached);
        let store_now = if leapt { heard } else { reached };
        if grant.layout != self.layout {
            return Err(Code::LayoutMismatch);
        }
        let ticks = grant.ticks;
        let possible = ticks.start <= ticks.end
            && ticks.end <= self.layout.end_tick()
            && u64::from(grant.worker) < self.layout.workers();
        let fits = match ask {
            Ask::Renew(renew) => grant.worker == renew.worker && ticks.start == renew.have_until,
            _ => ticks.start < ticks.end,
        };
        if !possible || !fits {
            return Err(Code::GrantInvalid);
        }
        let tick = self.layout.tick(StoreTime::new(store_now)).map_err(|refusal| refusal.code)?;
        if tick >= ticks.end && !ticks.is_empty() {
            return Err(Code::GrantInvalid);
        }
        (self.offset, self.not_before) = (Some(offset), store_now);
        self.known = Some(grant.store);
        match ask {
            Ask::Renew(_) => self.oracle.extend(&self.layout, ticks),
            _ => {
                self.oracle.open(&self.layout, grant.worker, ticks);
                self.lease = Some(grant.request);
                self.tally[2] += 1;
            }
        }
        Ok(Outcome::Applied)
    }

    /// When an answer is over, by the layout that it names.
    fn over_at(&self, grant: &WindowGrant) -> i128 {
        let (epoch, tick_ms) = (grant.layout.epoch_ms(), grant.layout.tick_ms());
        i128::from(epoch) + i128::from(grant.ticks.end) * i128::from(tick_ms)
    }

    fn fails(&mut self, code: Code) {
        if code == Code::LeaseLost {
            self.lease = None;
        }
        if code.stops() {
            self.oracle.close();
            self.oracle.stopped = Some(code);
        }
    }

    /// What was handed out ascends, and lies in ticks that were granted to its worker.
    pub fn check(&self) -> Result<(), TestCaseError> {
        let given = &self.oracle.given;
        prop_assert!(given.is_sorted_by(|a, b| a < b), "unique and ascending: {:?}", given);
        for id in given {
            let parts = self.layout.decompose(*id).unwrap();
            prop_assert!(self.oracle.granted.contains(&(parts.worker, parts.tick)), "{:?}", parts);
        }
        Ok(())
    }
}
