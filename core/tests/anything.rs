//! Random answers and clocks, for generators of both kinds on both lines: IDs ascend and were granted,
//! nothing is lost, and no refusal is wrong. Clocks reach the limits of 64 bits; windows have few ticks
//! and ticks few IDs. The vectors test which IDs these are.

use std::cell::Cell;

use leafid_core::{
    Action, Ask, Code, Generator, Grant, HostTime, Kind, LINE_END, Layout, Line, Name, Outcome,
    OwnLine, Range, Refusal, Segment, SegmentConfig, SegmentGrant, SharedLine, Snowflake,
    SnowflakeConfig, StoreTime, Token, WindowGrant,
};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};

const HOUR_MS: i64 = 3_600_000;

#[derive(Clone, Debug)]
enum Event {
    Draw(usize),
    Exactly(usize),
    /// Asks, and grants at once: how many numbers or ticks, after a hole of how many.
    Grant(u64, u64),
    /// Asks, and gets a random answer: a range, a worker, a step, and whether the request, the store, and
    /// the tag or layout are right.
    Garbage(Range, u32, u32, [bool; 3]),
    Failure(Code),
    Forget,
    /// The host's clock moves by this, and the store's by as much of it as lies within 0 to an hour.
    Host(i64),
    /// Only the store's clock moves, by this.
    Store(i64),
}

/// Any 64-bit number, often the limits of 64 and 63 bits.
fn any_number() -> impl Strategy<Value = u64> {
    let ends = &[0, u64::MAX, 1 << 63, LINE_END][..];
    prop_oneof![4 => prop::sample::select(ends), 3 => any::<u64>(), 4 => 0u64..10_000]
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let leaps = &[i64::MIN, i64::MAX, 1_000, HOUR_MS, -HOUR_MS, 1 << 60][..];
    let garbage = (any_number(), any_number(), 0u32..40, 0u32..3, any::<[bool; 3]>());
    let garbage = garbage.prop_map(|(start, end, worker, step, right)| {
        Event::Garbage(Range::new(start, end), worker, step, right)
    });
    let event = prop_oneof![
        8 => (1usize..60).prop_map(Event::Draw),
        4 => (1usize..50).prop_map(Event::Exactly),
        6 => (1u64..40, prop_oneof![2 => Just(0u64), 1 => 1u64..50])
            .prop_map(|(size, hole)| Event::Grant(size, hole)),
        3 => garbage,
        1 => prop::sample::select(Code::ALL).prop_map(Event::Failure),
        1 => Just(Event::Forget),
        6 => prop_oneof![6 => 0i64..30, 2 => -50i64..0, 2 => prop::sample::select(leaps)]
            .prop_map(Event::Host),
        1 => (-2_000i64..2_000).prop_map(Event::Store),
    ];
    prop::collection::vec(event, 1..80)
}

#[derive(Clone, Debug)]
struct Start {
    layout: Layout,
    max_ahead_ms: u32,
    step: Option<u32>,
    from: u64,
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
    let ahead = prop::sample::select(&[0u32, 1, 5, 25, 1_000][..]);
    let from = prop_oneof![Just(1u64), Just(0u64), LINE_END - 500..LINE_END];
    (layout, ahead, prop::option::of(1u32..60), from, host).prop_map(
        |((epoch_ms, tick_ms, time, worker, sequence), max_ahead_ms, step, from, host)| {
            let layout = Layout::new(epoch_ms, tick_ms, time, worker, sequence).unwrap();
            Start { layout, max_ahead_ms, step, from, host }
        },
    )
}

/// Makes a memory image, if the line can have one.
type Image<K, L> = fn(&Generator<K, L>) -> Option<Generator<K, OwnLine>>;

struct Bench<K: Kind, L: Line> {
    ids: Generator<K, L>,
    image: Image<K, L>,
    layout: Layout,
    host: i64,
    store_now: StoreTime,
    /// Whether the clock may go back: not for a lock-free line, which needs a monotonic one.
    goes_back: bool,
    asked: u64,
    store: Option<Token>,
    store_at: u64,
    /// The grants since the generator last forgot everything, each as its worker (0 for a segment) and its
    /// range of numbers or ticks.
    granted: Vec<(u32, Range)>,
    numbers: u64,
    last: Option<u64>,
    stopped: Option<Code>,
    tally: [u64; 4],
}

fn entropy(n: u64) -> [u8; 16] {
    u128::from(n).to_be_bytes()
}

impl<K: Kind, L: Line> Bench<K, L> {
    fn now(&self) -> HostTime {
        HostTime::new(self.host)
    }

    fn take(&mut self, event: &Event) -> TestCaseResult {
        match *event {
            Event::Draw(n) => {
                let mut ids = vec![0; n];
                let drawn = self.ids.fill_available(self.now(), &mut ids);
                self.drawn(drawn.map(|count| &ids[..count]), 1)?;
            }
            Event::Exactly(n) => {
                let (mut ids, ready) = (vec![u64::MAX; n], self.ids.ready(self.now(), n as u64));
                let filled = self.ids.fill(self.now(), &mut ids);
                prop_assert_eq!(filled.map_err(|no| no.code), ready.map_err(|no| no.code));
                prop_assert!(filled.is_ok() || ids.iter().all(|id| *id == u64::MAX));
                self.drawn(filled.map(|()| &ids[..]), n as u64)?;
            }
            Event::Grant(size, hole) => self.granted(size, hole)?,
            Event::Garbage(range, worker, step, right) => {
                self.garbage(range, worker, step, right)?;
            }
            Event::Failure(code) => {
                let Some(ask) = self.ask() else { return Ok(()) };
                prop_assert!(self.heard(ask.request(), Err(code)).is_err());
                self.stops(code);
                prop_assert_eq!(self.ids.failure(), Some(code));
            }
            Event::Forget => {
                self.ids.forget();
                self.granted.clear();
            }
            Event::Host(ms) if self.goes_back || (0..=HOUR_MS).contains(&ms) => {
                self.host = self.host.saturating_add(ms);
                self.store_now = self.store_now.plus(ms.clamp(0, HOUR_MS));
            }
            Event::Host(_) => {}
            Event::Store(ms) => self.store_now = self.store_now.plus(ms),
        }
        let stats = self.ids.stats();
        prop_assert_eq!((stats.ids, stats.grants), (self.tally[0], self.tally[1]));
        let spent = stats.ids + stats.in_hand + stats.dropped;
        prop_assert!(!K::DOUBLE_BUFFERED || spent == self.numbers, "{:?}", stats);
        Ok(())
    }

    /// Checks that the IDs ascend and were granted, or that the refusal of `wanted` at once is right.
    fn drawn(&mut self, drawn: Result<&[u64], Refusal>, wanted: u64) -> TestCaseResult {
        let ids = match drawn {
            Ok(ids) => ids,
            Err(refusal) => {
                self.tally[2] += 1;
                let stopped = self.stopped.is_none_or(|code| code == refusal.code);
                prop_assert!(stopped || refusal.code == Code::CountInvalid, "{:?}", refusal);
                let waits = matches!(refusal.code, Code::SequenceSpent | Code::ClockBehind);
                prop_assert_eq!(refusal.until.is_some(), waits, "{:?}", refusal);
                return self.until(refusal, wanted);
            }
        };
        prop_assert_eq!(self.stopped, None);
        for id in ids {
            prop_assert!(self.last.is_none_or(|last| last < *id), "{} after {:?}", id, self.last);
            let (worker, at) = match K::DOUBLE_BUFFERED {
                true => (0, *id),
                false => {
                    self.layout.decompose(*id).map(|parts| (parts.worker, parts.tick)).unwrap()
                }
            };
            let is_in = |(of, range): &(u32, Range)| *of == worker && range.contains(at);
            prop_assert!(self.granted.iter().any(is_in), "{} was not granted", id);
            self.last = Some(*id);
        }
        self.tally[0] += ids.len() as u64;
        Ok(())
    }

    /// Checks that a refusal with an `until` holds just before that time, and not at it.
    fn until(&self, refusal: Refusal, wanted: u64) -> TestCaseResult {
        let Some(until) = refusal.until.filter(|until| until.get().abs() < 1 << 60) else {
            return Ok(());
        };
        prop_assert!(until > self.now(), "{:?}", refusal);
        let Some(mut image) = (self.image)(&self.ids) else { return Ok(()) };
        prop_assert!(image.ready(until.plus(-1), wanted).is_err(), "{:?}", refusal);
        let again = image.ready(until, wanted).map_err(|refusal| refusal.code);
        prop_assert!(
            !matches!(again, Err(Code::SequenceSpent | Code::ClockBehind)),
            "{:?}",
            refusal
        );
        Ok(())
    }

    /// Polls as if every pause had passed, without moving the clock on.
    fn ask(&mut self) -> Option<Ask> {
        let due = self.ids.poll_at()?.max(self.now());
        self.asked += 1;
        self.ids.poll(due, entropy(self.asked)).and_then(Action::ask).map(Into::into)
    }

    fn heard(&mut self, to: Token, answer: Result<Grant, Code>) -> Result<Outcome, Refusal> {
        let (sent, answer) = (self.now(), answer.map_err(Into::into));
        self.ids.handle(leafid_core::Event::Answer { request: to, sent, answer }.of(), sent)
    }

    fn granted(&mut self, size: u64, hole: u64) -> TestCaseResult {
        let Some(ask) = self.ask() else { return Ok(()) };
        let tick = self.layout.tick(self.store_now).unwrap_or(0);
        let range = match ask {
            Ask::Segment(_) => {
                let start = self.store_at.saturating_add(hole);
                Range::new(start, (start + size).min(LINE_END))
            }
            Ask::Renew(renew) => Range::new(renew.have_until, renew.have_until.max(tick + size)),
            Ask::Acquire(_) => Range::new(tick, tick + size),
        };
        let worker = match ask {
            Ask::Renew(renew) => renew.worker,
            _ => hole as u32 % self.layout.workers() as u32,
        };
        let grant = self.grant(&ask, worker, range);
        self.hear(&ask, grant)?;
        let again = self.heard(grant.request(), Ok(grant));
        prop_assert_eq!(again, Ok(Outcome::Ignored), "a repeated answer");
        Ok(())
    }

    fn garbage(
        &mut self,
        range: Range,
        worker: u32,
        step: u32,
        right: [bool; 3],
    ) -> TestCaseResult {
        let Some(ask) = self.ask() else { return Ok(()) };
        let mut grant = self.grant(&ask, worker, range);
        let (request, store) = match &mut grant {
            Grant::Segment(SegmentGrant { request, store, tag, step: given, .. }) => {
                *given = step;
                if !right[2] {
                    *tag = Name::tag("another").unwrap();
                }
                (request, store)
            }
            Grant::Window(WindowGrant { request, store, layout, .. }) => {
                if !right[2] {
                    *layout = Layout::JS53;
                }
                (request, store)
            }
        };
        if !right[0] {
            *request = Token::new(entropy(u64::MAX));
        }
        if !right[1] {
            *store = Token::new(entropy(u64::MAX));
        }
        self.hear(&ask, grant)
    }

    fn grant(&self, ask: &Ask, worker: u32, range: Range) -> Grant {
        let store = self.store.unwrap_or(Token::new(entropy(0)));
        match ask {
            Ask::Segment(ask) => Grant::Segment(SegmentGrant {
                request: ask.request,
                store,
                tag: ask.tag,
                range,
                step: 10,
                max_step: 50,
                remaining: LINE_END - range.end.min(LINE_END),
                now: self.store_now,
            }),
            _ => Grant::Window(WindowGrant {
                request: ask.request(),
                store,
                worker,
                ticks: range,
                layout: self.layout,
                now: self.store_now,
                max_window_ms: 600_000,
            }),
        }
    }

    /// Passes an answer of any kind, and compares the outcome. A right one may also be refused, if the
    /// host's clock or the window's end makes it unusable.
    fn hear(&mut self, ask: &Ask, grant: Grant) -> TestCaseResult {
        let expected = self.expected(ask, &grant);
        let gave = self.heard(grant.request(), Ok(grant)).map_err(|refusal| refusal.code);
        let unusable = matches!(gave, Err(Code::GrantInvalid | Code::TimeOverflow));
        prop_assert!(
            gave == expected || (!K::DOUBLE_BUFFERED && unusable),
            "{:?}: {:?}",
            grant,
            gave
        );
        match (gave, grant) {
            (Ok(Outcome::Applied), Grant::Segment(grant)) => {
                self.store = Some(grant.store);
                self.store_at = self.store_at.max(grant.range.end);
                self.numbers += grant.range.len();
                self.granted.push((0, grant.range));
            }
            (Ok(Outcome::Applied), Grant::Window(grant)) => {
                self.store = Some(grant.store);
                self.granted.push((grant.worker, grant.ticks));
            }
            _ => {}
        }
        self.tally[1] += u64::from(gave == Ok(Outcome::Applied));
        self.tally[3] += u64::from(gave.is_err());
        if let Err(code) = gave {
            self.stops(code);
        }
        Ok(())
    }

    fn expected(&self, ask: &Ask, grant: &Grant) -> Result<Outcome, Code> {
        let (echo, store, range) = match grant {
            Grant::Segment(grant) => (grant.request, grant.store, grant.range),
            Grant::Window(grant) => (grant.request, grant.store, grant.ticks),
        };
        let Range { start, end } = range;
        let is_right = match (ask, grant) {
            _ if echo != ask.request() => return Ok(Outcome::Ignored),
            _ if self.store.is_some_and(|known| known != store) => return Err(Code::StoreChanged),
            (Ask::Segment(ask), Grant::Segment(grant)) => {
                let fits = start < end && end <= LINE_END && start >= ask.have_until.unwrap_or(0);
                grant.tag == ask.tag && grant.step > 0 && fits
            }
            (_, Grant::Window(grant)) if grant.layout != self.layout => {
                return Err(Code::LayoutMismatch);
            }
            (Ask::Renew(ask), Grant::Window(grant)) => {
                start <= end && start == ask.have_until && grant.worker == ask.worker
            }
            (_, Grant::Window(grant)) => {
                start < end && u64::from(grant.worker) < self.layout.workers()
            }
            _ => false,
        };
        let fits = matches!(grant, Grant::Segment(_)) || end <= self.layout.end_tick();
        if is_right && fits { Ok(Outcome::Applied) } else { Err(Code::GrantInvalid) }
    }

    /// PROTOCOL R24: nothing is drawn after such a code.
    fn stops(&mut self, code: Code) {
        if code.stops() {
            self.stopped = self.stopped.or(Some(code));
        }
    }
}

fn replay<K: Kind, L: Line>(
    (ids, image): (Result<Generator<K, L>, Refusal>, Image<K, L>),
    goes_back: bool,
    start: &Start,
    events: &[Event],
) -> Result<[u64; 4], TestCaseError> {
    let mut bench = Bench {
        ids: ids.unwrap(),
        image,
        layout: start.layout,
        host: start.host,
        store_now: start.layout.time(start.from % 200),
        goes_back,
        asked: 0,
        store: None,
        store_at: start.from,
        granted: Vec::new(),
        numbers: 0,
        last: None,
        stopped: None,
        tally: [0; 4],
    };
    for event in events {
        bench.take(event)?;
    }
    let release = bench.ids.retire();
    prop_assert!(release.is_none() || (!K::DOUBLE_BUFFERED && bench.stopped.is_none()));
    prop_assert_eq!(bench.ids.stats().in_hand, 0);
    let closed = bench.ids.next(bench.now()).unwrap_err().code;
    prop_assert_eq!(closed, bench.stopped.unwrap_or(Code::Closed));
    Ok(bench.tally)
}

/// Also fails if less happened than the floors, per thousand cases (or `PROPTEST_CASES`), so that the
/// test cannot pass by doing nothing.
fn check(floors: [u64; 4], test: impl Fn(&Start, &[Event]) -> Result<[u64; 4], TestCaseError>) {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|said| said.parse().ok());
    let cases = cases.unwrap_or(1_000);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let seen = Cell::new([0; 4]);
    let verdict = TestRunner::new(config).run(&(starts(), events()), |(start, events)| {
        let (before, more) = (seen.get(), test(&start, &events)?);
        seen.set(std::array::from_fn(|at| before[at] + more[at]));
        Ok(())
    });
    if let Err(error) = verdict {
        panic!("{error}");
    }
    let seen = seen.get();
    println!("{cases} cases: {seen:?} IDs, grants, refused draws, refused answers");
    let enough = |(seen, floor): (&u64, u64)| *seen >= floor * u64::from(cases) / 1_000;
    assert!(seen.iter().zip(floors).all(enough), "{seen:?} prove nothing, {floors:?} would");
}

#[test]
fn numbers_are_right_whatever_is_heard() {
    check([20_000, 2_000, 5_000, 500], |start, events| {
        let mut config = SegmentConfig::new("orders").unwrap();
        config.step = start.step;
        let own = replay((Segment::new(config, 1), |ids| Some(ids.image())), true, start, events)?;
        let line = SharedLine::new();
        let shared = replay((Segment::with_line(config, 1, &line), |_| None), true, start, events)?;
        prop_assert_eq!(own, shared, "both faces");
        Ok(own)
    });
}

#[test]
fn snowflakes_are_right_whatever_is_heard() {
    check([10_000, 1_000, 5_000, 1_000], |start, events| {
        let mut config = SnowflakeConfig::new("default", "host/1").unwrap();
        config.layout = Some(start.layout);
        (config.max_ahead_ms, config.spread) = (start.max_ahead_ms, start.step);
        let own =
            replay((Snowflake::new(config, 1), |ids| Some(ids.image())), true, start, events)?;
        let line = SharedLine::new();
        replay((Snowflake::with_line(config, 1, &line), |_| None), false, start, events)?;
        Ok(own)
    });
}
