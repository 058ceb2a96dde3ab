//! Segment generators against a naive oracle: lists of numbers, drawn one by one.

mod common;

use std::collections::{BTreeSet, VecDeque};

use leafid_core::{
    Ask, Code, Grant, HostTime, LINE_END, Line, Name, Outcome, OwnLine, Range, Refusal, Segment,
    SegmentAsk, SegmentConfig, SegmentGrant, SharedLine, StoreTime, Token,
};
use proptest::prelude::*;

use common::{Tally, any_number, check, entropy, token};

#[derive(Clone, Debug)]
enum Event {
    Next,
    /// As many as are at hand.
    Fill(usize),
    Exactly(usize),
    Ready(u64),
    /// Asks, and answers at once: so many numbers, after a hole of so many.
    Grant {
        size: u64,
        hole: u64,
    },
    Failure(Code),
    /// Hears anything at all, asked or not.
    Garbage {
        range: Range,
        echoes: bool,
        right_store: bool,
        right_tag: bool,
        step: u32,
    },
    Forget,
    /// The host's clock shows this from now on.
    Clock(HostTime),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        6 => Just(Event::Next),
        4 => (0usize..40).prop_map(Event::Fill),
        4 => (1usize..50).prop_map(Event::Exactly),
        2 => (0u64..60).prop_map(Event::Ready),
        6 => (1u64..30, prop_oneof![2 => Just(0u64), 1 => 1u64..50])
            .prop_map(|(size, hole)| Event::Grant { size, hole }),
        1 => prop::sample::select(Code::ALL).prop_map(Event::Failure),
        2 => (any_number(), any_number(), any::<bool>(), any::<bool>(), any::<bool>(), 0u32..3)
            .prop_map(|(start, end, echoes, right_store, right_tag, step)| Event::Garbage {
                range: Range::new(start, end),
                echoes,
                right_store,
                right_tag,
                step,
            }),
        1 => Just(Event::Forget),
        2 => any_millis().prop_map(Event::Clock),
    ];
    prop::collection::vec(event, 1..80)
}

/// Any reading of a clock, the ends of its range often.
fn any_millis() -> impl Strategy<Value = HostTime> {
    prop_oneof![
        2 => Just(i64::MIN),
        2 => Just(i64::MAX),
        1 => Just(0),
        3 => any::<i64>(),
        4 => -5_000_000_000_000i64..5_000_000_000_000,
    ]
    .prop_map(HostTime::new)
}

/// The oracle: the numbers at hand, in the order in which they are handed out.
#[derive(Debug, Default)]
struct Oracle {
    line: VecDeque<u64>,
    line_end: Option<u64>,
    aside: VecDeque<u64>,
    granted: BTreeSet<u64>,
    given: Vec<u64>,
    stopped: Option<Code>,
}

impl Oracle {
    fn next(&mut self) -> Option<u64> {
        if self.line.is_empty() && !self.aside.is_empty() {
            self.line_end = self.aside.back().map(|last| last + 1);
            self.line = std::mem::take(&mut self.aside);
        }
        let id = self.line.pop_front()?;
        self.given.push(id);
        Some(id)
    }

    fn at_hand(&self) -> usize {
        self.line.len() + self.aside.len()
    }

    fn grant(&mut self, range: Range) {
        let numbers = range.start..range.end;
        self.granted.extend(numbers.clone());
        let adjoins_aside = self.aside.back().is_some_and(|last| last + 1 == range.start);
        if self.line_end.is_none() || (self.aside.is_empty() && self.line_end == Some(range.start))
        {
            self.line.extend(numbers);
            self.line_end = Some(range.end);
        } else if self.aside.is_empty() || adjoins_aside {
            self.aside.extend(numbers);
        } else if range.len() > self.aside.len() as u64 {
            self.aside = numbers.collect();
        }
    }

    fn drop_all(&mut self) {
        self.line.clear();
        self.aside.clear();
        self.line_end = None;
    }

    fn refusal(&self) -> Refusal {
        self.stopped.unwrap_or(Code::SegmentDry).into()
    }
}

struct Bench<L: Line> {
    generator: Segment<L>,
    oracle: Oracle,
    now: HostTime,
    asked: u64,
    /// Nothing was asked since the generator forgot.
    forgot: bool,
    store: Option<Token>,
    /// Where the store's line stands.
    store_at: u64,
    /// How many numbers the store had left when it granted last, and when that was.
    left: Option<(u64, HostTime)>,
    refusals: u64,
    garbage: u64,
    /// How often too many were wanted before the end of the line.
    ends: u64,
}

impl<L: Line> Bench<L> {
    fn new(config: SegmentConfig, line: L, from: u64) -> Bench<L> {
        Bench {
            generator: Segment::with_line(config, 1, line).unwrap(),
            oracle: Oracle::default(),
            now: HostTime::new(0),
            asked: 0,
            forgot: false,
            store: None,
            store_at: from,
            left: None,
            refusals: 0,
            garbage: 0,
            ends: 0,
        }
    }

    /// Lets every pause pass, so that what is wanted is asked for.
    fn ask(&mut self) -> Option<SegmentAsk> {
        let due = self.generator.poll_at()?;
        self.now = self.now.max(due);
        self.asked += 1;
        match self.generator.poll_ask(self.now, entropy(self.asked))? {
            Ask::Segment(ask) => {
                let fresh = ask.request == token(self.asked);
                assert!(fresh || !self.forgot, "an ask that was forgotten");
                self.forgot = false;
                Some(ask)
            }
            other => panic!("a segment asked for {other:?}"),
        }
    }

    fn grant_of(&self, ask: &SegmentAsk, range: Range) -> SegmentGrant {
        SegmentGrant {
            request: ask.request,
            store: self.store.unwrap_or(token(0)),
            tag: ask.tag,
            range,
            step: 10,
            max_step: 50,
            remaining: LINE_END - range.end.min(LINE_END),
            now: StoreTime::new(self.now.get()),
        }
    }

    fn take(&mut self, event: &Event) -> Result<(), TestCaseError> {
        match *event {
            Event::Next => {
                let expected = self.expected(1).map(|ids| ids[0]);
                prop_assert_eq!(self.generator.next(self.now), expected);
            }
            Event::Fill(n) => {
                let mut ids = vec![0; n];
                let filled = self.generator.fill_available(self.now, &mut ids);
                let expected = if n == 0 { Ok(vec![]) } else { self.expected(n) };
                prop_assert_eq!(filled.map(|filled| ids[..filled].to_vec()), expected);
            }
            Event::Exactly(n) => {
                let mut ids = vec![u64::MAX; n];
                let filled = self.generator.fill(self.now, &mut ids);
                if self.oracle.at_hand() >= n {
                    prop_assert_eq!(filled, Ok(()));
                    prop_assert_eq!(Ok(ids), self.expected(n));
                } else {
                    prop_assert!(filled.is_err() && ids.iter().all(|id| *id == u64::MAX));
                }
            }
            Event::Ready(n) => self.ready(n)?,
            Event::Grant { size, hole } => self.granted(size, hole)?,
            Event::Failure(code) => {
                if let Some(ask) = self.ask() {
                    self.generator.handle_failure(ask.request, code, None, self.now);
                    self.stops(code);
                    prop_assert_eq!(self.generator.failure(), Some(code));
                }
            }
            Event::Garbage { .. } => self.garbage(event)?,
            Event::Forget => {
                self.generator.forget();
                self.forgot = true;
                self.oracle.drop_all();
            }
            Event::Clock(now) => self.now = now,
        }
        prop_assert_eq!(self.generator.stats().in_hand, self.oracle.at_hand() as u64);
        prop_assert_eq!(self.generator.stats().ids, self.oracle.given.len() as u64);
        Ok(())
    }

    fn expected(&mut self, n: usize) -> Result<Vec<u64>, Refusal> {
        let ids: Vec<_> = std::iter::from_fn(|| self.oracle.next()).take(n).collect();
        if ids.is_empty() {
            self.refusals += 1;
            return Err(self.oracle.refusal());
        }
        Ok(ids)
    }

    fn ready(&mut self, n: u64) -> Result<(), TestCaseError> {
        let ready = self.generator.ready(self.now, n);
        let never = ready == Err(Code::CountInvalid.into());
        prop_assert!(!never || n > 50, "{} is not too many", n);
        if !never && n > 0 {
            let at_hand = self.oracle.at_hand() as u64;
            let expected = if n <= at_hand {
                Ok(())
            } else if self.oracle.stopped.is_none() && n > at_hand.saturating_add(self.left()) {
                self.ends += 1;
                Err(Code::TagSpent.into())
            } else {
                Err(self.oracle.refusal())
            };
            prop_assert_eq!(ready, expected);
        }
        Ok(())
    }

    /// How many the store has left, as far as it said so lately.
    fn left(&self) -> u64 {
        let lately = |at: HostTime| (0..10_000).contains(&self.now.since(at));
        self.left.filter(|(_, at)| lately(*at)).map_or(u64::MAX, |(left, _)| left)
    }

    fn granted(&mut self, size: u64, hole: u64) -> Result<(), TestCaseError> {
        let Some(ask) = self.ask() else { return Ok(()) };
        let start = self.store_at + hole;
        let mut grant = self.grant_of(&ask, Range::new(start, (start + size).min(LINE_END)));
        if hole % 2 == 1 {
            // The tag ends soon, and its end may be raised as often.
            grant.remaining = grant.remaining.min(hole);
        }
        self.hear(&ask, grant)?;
        let again = self.generator.handle_grant(&Grant::Segment(grant), self.now, self.now);
        prop_assert_eq!(again, Ok(Outcome::Ignored), "a repeated answer");
        Ok(())
    }

    fn garbage(&mut self, event: &Event) -> Result<(), TestCaseError> {
        let Event::Garbage { range, echoes, right_store, right_tag, step } = *event else {
            return Ok(());
        };
        let Some(ask) = self.ask() else { return Ok(()) };
        // What by chance is right has to fit the oracle's lists.
        let end = if range.len() > 1_000 && range.end <= LINE_END {
            range.start + range.len() % 50
        } else {
            range.end
        };
        let mut grant = self.grant_of(&ask, Range::new(range.start, end));
        grant.step = step;
        if !right_store {
            grant.store = token(u64::MAX);
        }
        if !right_tag {
            grant.tag = Name::tag("another").unwrap();
        }
        if !echoes {
            grant.request = token(u64::MAX);
        }
        self.hear(&ask, grant)
    }

    /// Gives the generator an answer of any kind, and compares what it makes of it.
    fn hear(&mut self, ask: &SegmentAsk, grant: SegmentGrant) -> Result<(), TestCaseError> {
        let Range { start, end } = grant.range;
        let seen = ask.have_until.unwrap_or(0);
        prop_assert_eq!(seen, self.oracle.granted.last().map_or(0, |last| last + 1));
        let right = grant.tag == ask.tag && grant.step > 0 && start < end && end <= LINE_END;
        let expected = if grant.request != ask.request {
            Ok(Outcome::Ignored)
        } else if self.store.is_some_and(|known| known != grant.store) {
            self.stops(Code::StoreChanged);
            Err(Code::StoreChanged.into())
        } else if !right || start < seen {
            Err(Code::GrantInvalid.into())
        } else {
            self.store = Some(grant.store);
            self.store_at = self.store_at.max(end);
            self.left = Some((grant.remaining, self.now));
            self.oracle.grant(grant.range);
            Ok(Outcome::Applied)
        };
        let outcome = self.generator.handle_grant(&Grant::Segment(grant), self.now, self.now);
        prop_assert_eq!(outcome, expected);
        self.garbage += u64::from(outcome.is_err());
        Ok(())
    }

    fn stops(&mut self, code: Code) {
        if code.stops() {
            self.oracle.drop_all();
            self.oracle.stopped = Some(code);
        }
    }

    /// What was handed out ascends, and was granted.
    fn check(&self) -> Result<(), TestCaseError> {
        let given = &self.oracle.given;
        prop_assert!(given.is_sorted_by(|a, b| a < b), "unique and ascending: {:?}", given);
        prop_assert!(given.iter().all(|id| self.oracle.granted.contains(id)));
        Ok(())
    }
}

fn replay<L: Line>(
    line: L,
    config: SegmentConfig,
    from: u64,
    events: &[Event],
    tally: &Tally,
) -> Result<Vec<u64>, TestCaseError> {
    let mut bench = Bench::new(config, line, from);
    for event in events {
        bench.take(event)?;
    }
    bench.check()?;
    let stats = bench.generator.stats();
    tally.add("ids", stats.ids);
    tally.add("grants", stats.grants);
    tally.add("gaps", stats.gaps);
    tally.add("refusals", bench.refusals);
    tally.add("garbage", bench.garbage);
    tally.add("ends", bench.ends);
    let rest = bench.oracle.at_hand();
    prop_assert_eq!(bench.generator.retire(), None);
    prop_assert_eq!(bench.generator.stats().in_hand, 0);
    prop_assert!(bench.generator.next(bench.now).is_err(), "{} were at hand", rest);
    Ok(bench.oracle.given)
}

fn configs() -> impl Strategy<Value = SegmentConfig> {
    (prop::option::of(1u32..60), 1u8..=100, 0u32..5_000).prop_map(|(step, below, short_ms)| {
        let mut config = SegmentConfig::new("orders").unwrap();
        config.step = step;
        config.ask_below_percent = below;
        config.policy.short_ms = short_ms;
        config.policy.long_ms = short_ms * 2;
        config
    })
}

#[test]
fn numbers_are_handed_out_as_the_oracle_does() {
    let from = prop_oneof![Just(1u64), Just(0u64), LINE_END - 500..LINE_END];
    let floors = [
        ("ids", 3000),
        ("grants", 400),
        ("gaps", 100),
        ("refusals", 500),
        ("garbage", 100),
        ("ends", 10),
    ];
    check(file!(), 1_000, (events(), configs(), from), &floors, |(events, config, from), tally| {
        let own = replay(OwnLine::new(), config, from, &events, tally)?;
        let line = SharedLine::new();
        let shared = replay(&line, config, from, &events, tally)?;
        prop_assert_eq!(own, shared, "both faces");
        Ok(())
    });
}
