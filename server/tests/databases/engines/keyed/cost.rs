//! The cost of an acquire, in round trips to the engine and rows read, does not grow with the namespace.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use leafid_core::registry::WorkerRow;
use leafid_core::{AcquireAsk, Code, Layout, Name, Range, StoreTime, Token};
use leafid_servers::for_test;
use leafid_store::backends::Standing;
use leafid_store::backends::far::Client;
use leafid_store::backends::link::Broken;
use leafid_store::keyed::Held;
use leafid_store::keyed::Keyed;
use leafid_store::keyed::engine::Written;
use leafid_store::keyed::engine::{Commit, Ended, Engine, Folder, Identity, Key, Mark, Stored};
use leafid_store::keyed::text;
use leafid_store::registry::Registry;
use leafid_store::store::NamespaceChange;

use super::keys::{Keys, Real};
use super::races::TRIES;
use crate::opens::{clock, open_far};
use crate::support::until;

const SIZES: [u32; 3] = [10, 1_000, 65_536];

#[derive(Debug, Default)]
pub struct Counts {
    trips: AtomicU64,
    rows: AtomicU64,
}

impl Counts {
    fn take(&self) -> [u64; 2] {
        [self.trips.swap(0, Ordering::SeqCst), self.rows.swap(0, Ordering::SeqCst)]
    }
}

struct Counted<E> {
    engine: E,
    counts: Arc<Counts>,
}

impl<E> Counted<E> {
    fn count(&self, rows: usize) {
        self.counts.trips.fetch_add(1, Ordering::SeqCst);
        self.counts.rows.fetch_add(rows as u64, Ordering::SeqCst);
    }
}

impl<E: Engine> Client for Counted<E> {
    type Address = (E::Address, Arc<Counts>);
    const NAME: &'static str = E::NAME;

    async fn connect((address, counts): &Self::Address) -> Result<Self, Broken> {
        Ok(Counted { engine: E::connect(address).await?, counts: Arc::clone(counts) })
    }

    async fn examine(&mut self, allow: bool) -> Result<(), Broken> {
        self.engine.examine(allow).await
    }

    fn is_lost(&self) -> bool {
        self.engine.is_lost()
    }
}

impl<E: Engine> Engine for Counted<E> {
    const WIDE: usize = E::WIDE;
    const AT_ONCE: usize = E::AT_ONCE;
    const WHOLE: usize = E::WHOLE;

    fn told(&mut self) -> Option<StoreTime> {
        self.engine.told()
    }

    fn named(&self) -> Standing {
        self.engine.named()
    }

    async fn occupied(&mut self) -> Result<bool, Broken> {
        self.engine.occupied().await
    }

    async fn make(
        &mut self,
        store: Token,
        meta: &str,
        namespace: (Name, &str),
    ) -> Result<bool, Broken> {
        self.engine.make(store, meta, namespace).await
    }

    async fn survey(
        &mut self,
        keys: &[Key],
        spaces: &[(Name, Mark)],
    ) -> Result<(Vec<Option<Stored>>, Vec<Written>), Broken> {
        let found = self.engine.survey(keys, spaces).await?;
        self.count(keys.len() + found.1.iter().map(|written| written.rows.len()).sum::<usize>());
        Ok(found)
    }

    async fn list(
        &mut self,
        folder: Folder,
        after: Option<Name>,
        limit: usize,
    ) -> Result<Vec<(Name, Stored)>, Broken> {
        self.engine.list(folder, after, limit).await
    }

    async fn commit(
        &mut self,
        store: Identity,
        groups: &[Commit],
        beat: Option<&str>,
    ) -> Vec<Ended> {
        self.count(0);
        self.engine.commit(store, groups, beat).await
    }

    fn place(&self, key: &Key) -> String {
        self.engine.place(key)
    }
}

fn name() -> Name {
    Name::namespace("ns").expect("a name")
}

fn wait<T>(answer: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.expect("a runtime").block_on(answer)
}

struct Counting {
    store: Registry,
    counts: Arc<Counts>,
}

impl Counting {
    fn open<S: Real>(url: &str) -> Counting {
        let counts = Arc::new(Counts::default());
        let address = (S::address(url), Arc::clone(&counts));
        let keyed = open_far::<Keyed<Counted<S::Engine>>>(&address);
        let store = Registry::over(None, keyed, clock(), false).expect("a thread");
        Counting { store, counts }
    }

    fn range(&self, workers: Range) {
        let change = NamespaceChange {
            layout: Some(Layout::new(0, 1_000, 31, 20, 12).expect("a layout")),
            workers: Some(workers),
            ..NamespaceChange::default()
        };
        let made = until(|| match wait(self.store.put_namespace(name(), change)) {
            Ok(_) => Some(()),
            Err(problem) if problem.code == Code::StoreUnavailable => None,
            Err(problem) => panic!("{problem}"),
        });
        made.expect("a namespace in the end");
    }

    /// Acquires; gives the number or the refusal's code, and the cost. `None` where this machine was too slow
    /// for the engine's answer.
    fn acquire(&self, owner: &str) -> Option<(Result<u32, Code>, [u64; 2])> {
        let (given, cost) = self.ask(&fresh(owner));
        (given != Err(Code::StoreUnavailable)).then_some((given, cost))
    }

    /// As [`Counting::acquire`], in a namespace that the server has not read yet: on a busy machine that
    /// may exceed the time-out, and a holder repeats its ask then.
    fn acquire_first(&self, owner: &str) -> (Result<u32, Code>, [u64; 2]) {
        let ask = fresh(owner);
        let answered = until(|| {
            let (given, cost) = self.ask(&ask);
            (given != Err(Code::StoreUnavailable)).then_some((given, cost))
        });
        answered.expect("the rows are read in the end")
    }

    fn ask(&self, ask: &AcquireAsk) -> (Result<u32, Code>, [u64; 2]) {
        self.counts.take();
        let answer = wait(self.store.acquire(*ask));
        let counted = self.counts.take();
        (answer.map(|grant| grant.worker).map_err(|problem| problem.code), counted)
    }
}

fn fresh(owner: &str) -> AcquireAsk {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let mut request = [7; 16];
    request[..4].copy_from_slice(&NEXT.fetch_add(1, Ordering::SeqCst).to_be_bytes());
    AcquireAsk::new(name(), Token::new(request), Name::owner(owner).expect("an owner"))
}

/// Writes `rows` worker rows past the server.
fn fill<S: Keys>(server: &S, rows: u32, row: impl Fn(u32) -> WorkerRow) {
    let mut keys = Vec::new();
    for bucket in 0..rows.div_ceil(256) {
        keys.extend(S::bucket("ns", bucket).into_iter().map(|key| (key, String::new())));
    }
    server.put(&keys);
    let value = |worker: u32| {
        let held = Held { row: row(worker), moves: 0 };
        (S::worker(name(), worker), text::worker(&held))
    };
    server.put(&(0..rows).map(value).collect::<Vec<_>>());
}

fn rests(worker: u32) -> WorkerRow {
    let mut key = [1; 16];
    key[..4].copy_from_slice(&worker.to_be_bytes());
    WorkerRow {
        owner: Name::owner(&format!("owner-{worker}")).expect("an owner"),
        key: Some(Token::new(key)),
        held_from: u64::from(worker),
        reserved_until: u64::from(worker) + 1_000,
        granted: StoreTime::new(1_700_000_000_000 + i64::from(worker)),
        sticky: false,
    }
}

type Costs = (Vec<[u64; 2]>, [u64; 2]);

/// Measures acquires in a namespace with `rows` rows; `None` where an answer came too late.
fn costs<S: Real>(server: &S, rows: u32) -> Option<Costs> {
    let url = server.url();
    let one = Counting::open::<S>(&url);
    one.range(Range::new(0, u64::from(rows)));
    // Written after the namespace, whose range is known here.
    fill(server, rows, rests);
    let two = Counting::open::<S>(&url);
    let mut costs = Vec::new();
    // The first server reads the rows that it does not know yet, once.
    assert_eq!(one.acquire_first("a").0, Ok(0));
    // Two servers in turns: each sees the numbers that the other granted.
    for number in 1..9 {
        let server = if number % 2 == 0 { &one } else { &two };
        let (given, cost) = server.acquire("a")?;
        assert_eq!(given, Ok(number), "rested longest, of {rows}");
        costs.push(cost);
    }
    let (given, cost) = two.acquire("a")?;
    assert_eq!(given, Ok(9));
    let (given, alone) = if rows > 10 { two.acquire("a")? } else { (Ok(10), cost) };
    assert_eq!(given, Ok(10));
    println!("{}, {rows} rows [trips, rows]: in turns {costs:?}; alone {alone:?}", S::NAME);
    Some((costs, alone))
}

fn acquires_do_not_cost_more_in_larger_namespaces<S: Real>() {
    let mut all = Vec::new();
    for rows in SIZES {
        let mut found = None;
        for _ in 0..TRIES {
            let Some(server) = for_test::<S>() else { return };
            found = costs(&server, rows);
            if found.is_some() {
                break;
            }
        }
        all.push(found.expect("answers in time"));
    }
    let most = |costs: &[[u64; 2]], of: usize| costs.iter().map(|cost| cost[of]).max();
    let [small, _, large] = all.as_slice() else { panic!("three sizes") };
    assert!(small.1[0] > 0 && small.0.iter().all(|cost| cost[0] > 0), "nothing was counted");
    // It reads what the other server wrote, from ZooKeeper the buckets of 256 rows in which that is.
    assert_eq!(most(&small.0, 0), most(&large.0, 0), "trips");
    assert!(most(&large.0, 1) <= Some(2 * 256 + 64), "{:?}", large.0);
    assert_eq!(large.1[0], 2, "alone: what is new is read, and written");
    assert!(large.1[1] <= 8, "{:?}", large.1);
}

each!(keyed acquires_do_not_cost_more_in_larger_namespaces);
