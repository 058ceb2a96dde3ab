//! Snowflake generators against a naive oracle: a set of the positions at hand.
//!
//! The clocks stand, go back, leap, and reach the ends of 64 bits; windows have few ticks, ticks
//! few IDs, so that everything runs out all the time.

mod common;

use std::collections::BTreeSet;

use leafid_core::{
    Ask, Code, Grant, Layout, Line, Millis, Outcome, OwnLine, Range, Refusal, SharedLine,
    Snowflake, SnowflakeConfig, Token, WindowGrant,
};
use proptest::prelude::*;

use common::{Tally, any_number, check, entropy, token};

/// What happens to a generator.
#[derive(Clone, Debug)]
enum Event {
    Next,
    Fill(usize),
    /// Asks, and answers at once: a window from about now, so many ticks long.
    Grant {
        ticks: u64,
        early: u64,
        worker: u32,
    },
    /// Asks, and hears a refusal.
    Failure(Code),
    /// Hears anything at all.
    Garbage {
        ticks: Range,
        worker: u32,
        echoes: bool,
        right_store: bool,
        right_layout: bool,
    },
    Forget,
    /// The host's clock moves by so much.
    Host(i64),
    /// The store's clock moves by so much, the host's does not.
    Store(i64),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let ms = || {
        prop_oneof![
            6 => 0i64..30,
            2 => -50i64..0,
            2 => prop::sample::select(&[1_000, 3_600_000, -3_600_000, 7, 10][..]),
            1 => prop::sample::select(&[i64::MIN, i64::MAX][..]),
        ]
    };
    let garbage = (any_number(), any_number(), 0u32..40, any::<[bool; 3]>());
    let event = prop_oneof![
        8 => Just(Event::Next),
        6 => (1usize..60).prop_map(Event::Fill),
        6 => (1u64..40, 0u64..4, 0u32..4)
            .prop_map(|(ticks, early, worker)| Event::Grant { ticks, early, worker }),
        1 => prop::sample::select(Code::ALL).prop_map(Event::Failure),
        2 => garbage.prop_map(|(start, end, worker, [echoes, right_store, right_layout])| {
            let ticks = Range::new(start, end);
            Event::Garbage { ticks, worker, echoes, right_store, right_layout }
        }),
        1 => Just(Event::Forget),
        6 => ms().prop_map(Event::Host),
        1 => (-2_000i64..2_000).prop_map(Event::Store),
    ];
    prop::collection::vec(event, 1..80)
}

/// The oracle: every position at hand stands in a set.
#[derive(Debug, Default)]
struct Oracle {
    left: BTreeSet<u64>,
    /// The next position that was not passed, and whether it was ever set.
    cursor: u64,
    end: u64,
    worker: u32,
    open: bool,
    stopped: Option<Code>,
    given: Vec<u64>,
    granted: BTreeSet<(u32, u64)>,
}

/// What a draw may give now: positions from `floor` on, below `ceiling`.
struct Limits {
    floor: u128,
    ceiling: u128,
}

impl Oracle {
    fn next(&mut self, layout: &Layout, limits: &Limits) -> Result<u64, Code> {
        let floor = u64::try_from(limits.floor).unwrap().max(self.cursor);
        if u128::from(floor) >= limits.ceiling {
            return Err(Code::SequenceSpent);
        }
        let Some(&position) = self.left.range(floor..).next() else {
            return Err(Code::WindowSpent);
        };
        self.left = self.left.split_off(&(position + 1));
        self.cursor = position + 1;
        let (tick, sequence) = (position / layout.per_tick(), position % layout.per_tick());
        let id = layout.compose(layout.time(tick), self.worker, sequence).unwrap();
        self.given.push(id);
        Ok(id)
    }

    fn open(&mut self, layout: &Layout, worker: u32, ticks: Range) {
        let per_tick = layout.per_tick();
        let above = self.cursor / per_tick + 1;
        let start = ticks.start.max(above);
        self.left = (start * per_tick..ticks.end.max(start) * per_tick).collect();
        (self.cursor, self.end, self.worker, self.open) =
            (start * per_tick, ticks.end, worker, true);
        self.granted.extend((ticks.start..ticks.end).map(|tick| (worker, tick)));
    }

    fn extend(&mut self, layout: &Layout, ticks: Range) {
        let per_tick = layout.per_tick();
        let from = (ticks.start * per_tick).max(self.cursor);
        self.left.extend(from..ticks.end * per_tick);
        self.end = ticks.end;
        self.granted.extend((ticks.start..ticks.end).map(|tick| (self.worker, tick)));
    }

    fn close(&mut self) {
        self.left.clear();
        self.open = false;
    }
}

struct Bench<L: Line> {
    generator: Snowflake<L>,
    oracle: Oracle,
    layout: Layout,
    max_ahead_ms: u32,
    /// The host's clock, and the store's.
    host: i64,
    store: i64,
    offset: Option<i64>,
    /// The store's time as the generator knows it never lies below this.
    not_before: i64,
    /// Whether every reading of the clock is remembered, or only those at answers.
    remembers: bool,
    known: Option<Token>,
    lease: Option<Token>,
    asked: u64,
    tally: [u64; 4],
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
        Ok(Limits { floor: position(tick), ceiling: position(last + 1) })
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
        let now = Millis::new(self.host);
        let gave = if n == 1 {
            self.generator.next(now).map(|id| vec![id])
        } else {
            self.generator.fill(now, &mut ids).map(|filled| ids[..filled].to_vec())
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
        let due = self.generator.poll_at()?.max(Millis::new(self.host));
        self.asked += 1;
        self.generator.poll_ask(due, entropy(self.asked))
    }

    fn take(&mut self, event: &Event) -> Result<(), TestCaseError> {
        match *event {
            Event::Next => self.draw(1)?,
            Event::Fill(n) => self.draw(n)?,
            Event::Grant { ticks, early, worker } => self.granted(ticks, early, worker)?,
            Event::Failure(code) => {
                let Some(ask) = self.ask() else { return Ok(()) };
                let now = Millis::new(self.host);
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
        let Ok(now) = self.layout.tick(Millis::new(self.store)) else { return Ok(()) };
        let worker = worker % self.layout.workers() as u32;
        let grant = match ask {
            // So long after its end somebody else has the number.
            Ask::Renew(renew) if now > renew.have_until + 100 => {
                let _ = self.limits();
                let now = Millis::new(self.host);
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
        let now = Millis::new(self.host);
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
            now: Millis::new(self.store),
            max_window_ms: 600_000,
        }
    }

    /// Gives the generator an answer of any kind, and compares what it makes of it.
    fn hear(&mut self, ask: &Ask, grant: WindowGrant) -> Result<(), TestCaseError> {
        let expected = self.expect(ask, &grant);
        let now = Millis::new(self.host);
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
        let tick = self.layout.tick(Millis::new(store_now)).map_err(|refusal| refusal.code)?;
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
    fn check(&self) -> Result<(), TestCaseError> {
        let given = &self.oracle.given;
        prop_assert!(given.is_sorted_by(|a, b| a < b), "unique and ascending: {:?}", given);
        for id in given {
            let parts = self.layout.decompose(*id).unwrap();
            prop_assert!(self.oracle.granted.contains(&(parts.worker, parts.tick)), "{:?}", parts);
        }
        Ok(())
    }
}

/// Where a run begins.
#[derive(Clone, Debug)]
struct Start {
    layout: Layout,
    max_ahead_ms: u32,
    /// The store's clock, in ticks since the epoch, and the host's.
    tick: u64,
    host: i64,
}

fn starts() -> impl Strategy<Value = Start> {
    let layout = (
        prop::sample::select(&[0i64, 1_800_000_000_000][..]),
        prop::sample::select(&[1u32, 10, 1_000][..]),
        prop::sample::select(&[8u8, 12, 41][..]),
        0u8..=2,
        0u8..=5,
    );
    let host = prop::sample::select(&[0i64, -5, 1 << 60, i64::MIN, 1_800_000_000_000][..]);
    (layout, prop::sample::select(&[0u32, 1, 5, 25, 1_000][..]), 0u64..200, host).prop_map(
        |((epoch_ms, tick_ms, time, worker, sequence), max_ahead_ms, tick, host)| Start {
            layout: Layout::new(epoch_ms, tick_ms, time, worker, sequence).unwrap(),
            max_ahead_ms,
            tick,
            host,
        },
    )
}

fn replay<L: Line>(
    line: L,
    remembers: bool,
    start: &Start,
    events: &[Event],
    tally: &Tally,
) -> Result<(), TestCaseError> {
    let mut config = SnowflakeConfig::new("default", "host/1").unwrap();
    config.layout = Some(start.layout);
    config.max_ahead_ms = start.max_ahead_ms;
    config.spread = Some(0);
    let mut bench = Bench {
        generator: Snowflake::with_line(config, 1, line).unwrap(),
        oracle: Oracle::default(),
        layout: start.layout,
        max_ahead_ms: start.max_ahead_ms,
        host: start.host,
        store: start.layout.time(start.tick).get(),
        offset: None,
        not_before: i64::MIN,
        remembers,
        known: None,
        lease: None,
        asked: 0,
        tally: [0; 4],
    };
    for event in events {
        bench.take(event)?;
    }
    bench.check()?;
    bench.tally[0] = bench.generator.stats().ids;
    for (name, n) in ["ids", "refusals", "windows", "garbage"].into_iter().zip(bench.tally) {
        tally.add(name, n);
    }
    let release = bench.generator.retire();
    let lease = bench.lease.filter(|_| bench.oracle.stopped.is_none());
    prop_assert_eq!(release.map(|release| release.key), lease);
    if let Some(release) = release {
        let unused = bench.oracle.cursor.div_ceil(start.layout.per_tick()).min(bench.oracle.end);
        prop_assert_eq!((release.worker, release.unused_from), (bench.oracle.worker, unused));
    }
    Ok(())
}

#[test]
fn positions_are_handed_out_as_the_oracle_does() {
    let floors = [("ids", 20), ("windows", 2), ("refusals", 3), ("garbage", 1)];
    check(file!(), 1_000, (events(), starts()), &floors, |(events, start), tally| {
        replay(OwnLine::new(), true, &start, &events, tally)?;
        let line = SharedLine::new();
        replay(&line, false, &start, &events, tally)
    });
}

/// With the spread on, IDs still ascend, lie in the window, and are never later than allowed.
#[test]
fn the_spread_only_skips() {
    let moves = prop::collection::vec((0i64..20, 1usize..50), 1..60);
    let inputs = (moves, any::<u64>(), prop::option::of(0u32..70), 0u32..30);
    check(file!(), 500, inputs, &[("ids", 100)], |(moves, seed, spread, max_ahead_ms), tally| {
        let layout = Layout::EDGE;
        let mut config = SnowflakeConfig::new("default", "host/1").unwrap();
        (config.spread, config.max_ahead_ms) = (spread, max_ahead_ms);
        let mut ids = Snowflake::new(config, seed).unwrap();
        let mut now = Millis::new(1_800_000_000_000);
        let ask = ids.poll_ask(now, entropy(1)).unwrap();
        let tick = layout.tick(now).unwrap();
        let grant = Grant::Window(WindowGrant {
            request: ask.request(),
            store: token(0),
            worker: 9,
            ticks: Range::new(tick, tick + 300),
            layout,
            now,
            max_window_ms: 600_000,
        });
        prop_assert_eq!(ids.handle_grant(&grant, now, now), Ok(Outcome::Applied));
        let mut last = None;
        for (ms, n) in moves {
            now = now.plus(ms);
            let mut some = vec![0; n];
            let filled = ids.fill(now, &mut some).unwrap_or(0);
            tally.add("ids", filled as u64);
            for id in &some[..filled] {
                prop_assert!(last.is_none_or(|last| last < *id));
                last = Some(*id);
                let parts = layout.decompose(*id).unwrap();
                prop_assert!((tick..tick + 300).contains(&parts.tick) && parts.worker == 9);
                prop_assert!(parts.time >= now && parts.time <= now.plus(max_ahead_ms.into()));
            }
        }
        Ok(())
    });
}
