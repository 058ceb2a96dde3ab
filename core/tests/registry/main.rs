//! The registry under arbitrary requests: what is granted on one line never overlaps.
//!
//! The rows stand in a map; requests come in any order, repeated, forged and late, from owners who
//! keep numbers and owners who do not. The holders' rights are kept beside, as plain intervals.

#[path = "../common/mod.rs"]
mod common;
mod tags;

use std::collections::BTreeMap;

use leafid_core::registry::{self, Acquired, Candidates, Namespace, Worker, WorkerRow};
use leafid_core::{AcquireAsk, Code, Layout, Name, Range, Release, RenewAsk, StoreTime, Token};
use proptest::prelude::*;

use common::{check, token};

const NUMBERS: u32 = 3;

#[derive(Clone, Debug)]
enum Request {
    /// The `key`-th acquire: a small number, so that requests are repeated.
    Acquire {
        key: u64,
        owner: usize,
        sticky: bool,
        strict: bool,
        length_ms: Option<u32>,
    },
    /// A renewal with the end that this key has, moved by so much.
    Renew {
        key: u64,
        worker: u32,
        moved: i64,
        length_ms: Option<u32>,
    },
    /// A release by the holder: so many ticks after the beginning of what it was granted last, or
    /// before; or of a foreign number.
    Release {
        key: u64,
        worker: Option<u32>,
        after: i64,
    },
    Revoke {
        worker: u32,
    },
    /// The floor of a fence.
    Fence {
        ticks: u64,
    },
    /// The numbers that may be handed out are these from now on.
    Workers {
        start: u32,
        count: u32,
    },
    Pass {
        ms: i64,
    },
}

fn requests() -> impl Strategy<Value = Vec<Request>> {
    let length = || prop::option::of(prop_oneof![Just(0u32), Just(u32::MAX), 1_000u32..20_000]);
    let request = prop_oneof![
        6 => (0u64..7, 0usize..4, any::<bool>(), any::<bool>(), length()).prop_map(
            |(key, owner, sticky, strict, length_ms)| Request::Acquire {
                key, owner, sticky, strict: strict && sticky, length_ms
            }
        ),
        6 => (0u64..7, 0..NUMBERS, prop_oneof![3 => Just(0i64), 1 => -40i64..40], length())
            .prop_map(|(key, worker, moved, length_ms)| Request::Renew {
                key, worker, moved, length_ms
            }),
        3 => (0u64..7, prop::option::of(0..NUMBERS), -50i64..3_000)
            .prop_map(|(key, worker, after)| Request::Release { key, worker, after }),
        1 => (0..NUMBERS).prop_map(|worker| Request::Revoke { worker }),
        1 => (0u64..100).prop_map(|ticks| Request::Fence { ticks }),
        1 => (0..NUMBERS, 1..=NUMBERS)
            .prop_map(|(start, count)| Request::Workers { start, count: count.min(NUMBERS - start) }),
        6 => prop_oneof![
            3 => 0i64..500,
            4 => 500i64..60_000,
            1 => Just(31 * 86_400_000i64),
        ].prop_map(|ms| Request::Pass { ms }),
    ];
    prop::collection::vec(request, 1..120)
}

/// A registry of rows, and beside it what every lease was granted.
struct Bench {
    namespace: Namespace,
    rows: BTreeMap<u32, WorkerRow>,
    now: StoreTime,
    /// By worker: who may use which ticks.
    rights: Vec<(u32, Token, Range)>,
    grants: u64,
    refusals: u64,
}

const STORE: Token = Token::new([7; 16]);

impl Bench {
    fn row(&self, worker: u32) -> WorkerRow {
        self.rows.get(&worker).copied().unwrap_or_default()
    }

    fn find(&self, is_it: impl Fn(&WorkerRow) -> bool) -> Option<Worker> {
        self.rows.iter().find(|(_, row)| is_it(row)).map(|(number, row)| (*number, *row))
    }

    /// Where this key holds ticks: the number, and the end that was told last.
    fn holds(&self, key: Token) -> Option<(u32, Range)> {
        let mine = self.rights.iter().rev().find(|(_, whose, _)| *whose == key);
        mine.map(|(worker, _, ticks)| (*worker, *ticks))
    }

    fn take(&mut self, request: &Request) -> Result<(), TestCaseError> {
        match *request {
            Request::Acquire { key, owner, sticky, strict, length_ms } => {
                let owner = Name::owner(["a", "b", "c", "d"][owner]).unwrap();
                let namespace = Name::namespace("ns").unwrap();
                let ask = AcquireAsk::new(namespace, token(key), owner);
                let ask = AcquireAsk { store: Some(STORE), length_ms, sticky, strict, ..ask };
                self.acquire(&ask)?;
            }
            Request::Renew { key, worker, moved, length_ms } => {
                let held = self.holds(token(key));
                let (worker, end) = held.map_or((worker, 0), |(worker, ticks)| (worker, ticks.end));
                let ask = RenewAsk {
                    namespace: Name::namespace("ns").unwrap(),
                    request: token(u64::MAX),
                    store: STORE,
                    worker,
                    key: token(key),
                    have_until: end.saturating_add_signed(moved),
                    length_ms,
                };
                self.renew(&ask)?;
            }
            Request::Release { key, worker, after } => self.release(token(key), worker, after)?,
            Request::Revoke { worker } => {
                let row = self.row(worker);
                self.rows.insert(worker, row.revoked());
            }
            Request::Fence { ticks } => {
                let tick = self.namespace.layout.tick(self.now).unwrap();
                self.namespace.floor = self.namespace.floor.max(tick + ticks);
            }
            Request::Workers { start, count } => {
                self.namespace.workers = Range::new(start.into(), (start + count).into());
            }
            Request::Pass { ms } => self.now = self.now.plus(ms),
        }
        Ok(())
    }

    fn acquire(&mut self, ask: &AcquireAsk) -> Result<(), TestCaseError> {
        let mine = self.find(|row| row.key == Some(ask.request));
        let own = [self.find(|row| row.sticky && row.owner == ask.owner), None];
        let (floor, owner, now) = (self.namespace.floor, &ask.owner, self.now);
        let rested = (0..NUMBERS)
            .filter(|number| self.namespace.hands_out(*number))
            .map(|number| (number, self.row(number)))
            .min_by_key(|(_, row)| (row.is_kept_from(owner, now), row.rests_until(floor)));
        let before = self.rows.clone();
        let candidates = Candidates { mine, own, rested };
        let answer = registry::acquire(STORE, &self.namespace, &candidates, ask, now);
        let tick = self.namespace.layout.tick(now).unwrap();
        match answer {
            Ok(Acquired { worker: (number, row), freed, grant }) => {
                prop_assert_eq!(
                    (grant.worker, grant.request, grant.store),
                    (number, ask.request, STORE)
                );
                if let Some((_, row)) = mine {
                    // The same answer again: nothing new is given, nothing is written.
                    prop_assert_eq!(grant.ticks, Range::new(row.held_from, row.reserved_until));
                    prop_assert_eq!(before.get(&number), Some(&row));
                } else {
                    prop_assert_eq!(grant.ticks.start, tick);
                    prop_assert!(tick >= floor, "below the fence");
                    prop_assert!(self.namespace.hands_out(number), "{number} is not handed out");
                    let minute = self.namespace.layout.ticks(60_000);
                    prop_assert!((1..=minute).contains(&grant.ticks.len()), "{:?}", grant.ticks);
                    self.gives(number, ask.request, grant.ticks)?;
                }
                let raised = row.reserved_until >= self.row(number).reserved_until;
                prop_assert!(raised, "a grant never lowers the mark");
                self.rows.insert(number, row);
                if let Some((freed, row)) = freed {
                    let before = self.row(freed);
                    prop_assert_eq!(WorkerRow { sticky: true, ..row }, before);
                    self.rows.insert(freed, row);
                }
                let kept = |row: &&WorkerRow| row.sticky && row.owner == ask.owner;
                prop_assert!(
                    self.rows.values().filter(kept).count() <= 1,
                    "a borrowed one is kept"
                );
            }
            Err(refusal) => {
                self.refusals += 1;
                prop_assert_eq!(refusal.code, Code::WorkersExhausted);
                // It names the moment from which this request is granted, if nobody else comes.
                let until = refusal.until.unwrap();
                prop_assert!(until > now);
                let again = registry::acquire(STORE, &self.namespace, &candidates, ask, until);
                prop_assert!(again.is_ok(), "{:?} at {:?}", again, until);
            }
        }
        Ok(())
    }

    fn renew(&mut self, ask: &RenewAsk) -> Result<(), TestCaseError> {
        let row = self.row(ask.worker);
        match registry::renew(STORE, &self.namespace, &row, ask, self.now) {
            Ok((after, Err(refusal))) => {
                self.refusals += 1;
                prop_assert_eq!(refusal.code, Code::StoreWentBack);
                let (mine, have) = (row.key == Some(ask.key), ask.have_until);
                prop_assert!(mine && have > row.reserved_until && have >= self.namespace.floor);
                let longest = self.namespace.fenced(self.now, 0).floor;
                let reserved_until = row.reserved_until.max(longest);
                prop_assert_eq!(after, WorkerRow { key: None, reserved_until, ..row });
                self.rows.insert(ask.worker, after);
            }
            Ok((after, Ok(grant))) => {
                prop_assert_eq!(grant.ticks, Range::new(ask.have_until, after.reserved_until));
                prop_assert!(
                    after.reserved_until >= row.reserved_until,
                    "a renewal lowers nothing"
                );
                prop_assert!(ask.have_until >= self.namespace.floor, "below the fence");
                prop_assert!(self.namespace.hands_out(ask.worker), "renewed outside the range");
                prop_assert_eq!(
                    WorkerRow { reserved_until: 0, granted: row.granted, ..after },
                    WorkerRow { reserved_until: 0, ..row }
                );
                self.gives(ask.worker, ask.key, grant.ticks)?;
                self.rows.insert(ask.worker, after);
            }
            Err(refusal) => {
                self.refusals += 1;
                let mine = row.key == Some(ask.key);
                prop_assert_eq!(refusal.code, Code::LeaseLost);
                let kept = mine
                    && self.namespace.hands_out(ask.worker)
                    && ask.have_until <= row.reserved_until
                    && ask.have_until >= row.held_from.max(self.namespace.floor);
                prop_assert!(!kept, "a lease in order was refused");
            }
        }
        Ok(())
    }

    /// An honest holder's release: nothing at or above `unused_from` was used.
    fn release(
        &mut self,
        key: Token,
        worker: Option<u32>,
        after: i64,
    ) -> Result<(), TestCaseError> {
        let Some((held, ticks)) = self.holds(key) else { return Ok(()) };
        let unused_from = ticks.start.saturating_add_signed(after);
        let worker = worker.unwrap_or(held);
        let ask = Release {
            namespace: Name::namespace("ns").unwrap(),
            store: STORE,
            worker,
            key,
            unused_from,
        };
        let row = self.row(worker);
        match registry::release(STORE, &row, &ask) {
            Ok(after) => {
                prop_assert_eq!((after.key, after.held_from), (None, row.held_from));
                prop_assert!(after.reserved_until >= row.held_from);
                prop_assert!(after.reserved_until <= row.reserved_until);
                self.rows.insert(worker, after);
                let rights = self.rights.iter_mut();
                rights
                    .filter(|(number, whose, _)| (*number, *whose) == (worker, key))
                    .for_each(|(_, _, ticks)| ticks.end = ticks.end.min(unused_from));
                prop_assert_eq!(
                    registry::release(STORE, &after, &ask),
                    Err(Code::LeaseLost.into())
                );
            }
            Err(refusal) if row.key != Some(key) => prop_assert_eq!(refusal.code, Code::LeaseLost),
            Err(refusal) => {
                prop_assert_eq!(refusal.code, Code::RangeInvalid);
                prop_assert!(unused_from > row.reserved_until);
            }
        }
        Ok(())
    }

    /// Notes a grant: nobody else may use any of it.
    fn gives(&mut self, worker: u32, key: Token, ticks: Range) -> Result<(), TestCaseError> {
        self.grants += 1;
        for (number, whose, theirs) in &self.rights {
            let apart = ticks.start.max(theirs.start) >= ticks.end.min(theirs.end);
            let may = *number != worker || *whose == key || apart;
            prop_assert!(may, "{ticks:?} of {key:?} and {theirs:?} of {whose:?} on {worker}");
        }
        prop_assert!(ticks.end <= self.namespace.layout.end_tick());
        self.rights.push((worker, key, ticks));
        Ok(())
    }
}

#[test]
fn windows_of_one_number_never_overlap() {
    let layouts = prop::sample::select(vec![
        Layout::LEAF,
        Layout::LONG,
        Layout::new(0, 7, 41, 2, 4).unwrap(),
        Layout::new(1_700_000_000_000, 1_000, 32, 8, 8).unwrap(),
    ]);
    let inputs = (requests(), layouts, prop_oneof![Just(1_000u32), Just(10_000), Just(600_000)]);
    let floors = [("grants", 600), ("refusals", 500)];
    check(file!(), 1_000, inputs, &floors, |(requests, layout, max_window_ms), tally| {
        let workers = Some(Range::new(0, NUMBERS.into()));
        let mut bench = Bench {
            namespace: Namespace::create(layout, workers, Some(max_window_ms)).unwrap(),
            rows: BTreeMap::new(),
            now: StoreTime::new(1_800_000_000_000),
            rights: Vec::new(),
            grants: 0,
            refusals: 0,
        };
        for request in &requests {
            bench.take(request)?;
        }
        tally.add("grants", bench.grants);
        tally.add("refusals", bench.refusals);
        Ok(())
    });
}
