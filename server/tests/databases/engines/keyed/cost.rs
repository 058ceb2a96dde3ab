//! The cost of an acquire, in bytes that the engine answers, does not grow with the namespace.

use std::sync::atomic::Ordering;

use leafid_core::registry::WorkerRow;
use leafid_core::{AcquireAsk, Code, Layout, Name, Range, StoreTime, Token};
use leafid_servers::Proxy;
use leafid_store::keyed::{Held, text};
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_store::store::NamespaceChange;

use super::keys::Keys;
use crate::opens::Opens;
use crate::support::until;

/// All of them are more than 5 MB.
const ROWS: u32 = 16_384;
/// The most bytes for a server that is alone.
const ALONE: u64 = 10_000;
/// The most bytes for servers that take turns: from ZooKeeper a bucket of 256 rows, and whether the others
/// changed.
const IN_TURNS: u64 = 200_000;

struct One {
    proxy: Proxy,
    store: Registry,
}

impl One {
    fn open<S: Opens>(server: &S) -> One {
        let proxy = Proxy::to(server.port());
        let back_end = S::opened(&proxy.through(&server.url()));
        let store = Registry::over(None, back_end, false).expect("a thread");
        One { proxy, store }
    }

    /// Asks until the engine answers in time, and gives the bytes of the answers.
    fn asks<T>(&self, ask: impl AsyncFn(&Registry) -> Result<T, Problem>) -> (T, u64) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let before = self.proxy.answered.load(Ordering::Relaxed);
        let answer = until(|| match runtime.block_on(ask(&self.store)) {
            Err(problem) if [Code::StoreUnavailable, Code::Overloaded].contains(&problem.code) => {
                None
            }
            answer => Some(answer.unwrap_or_else(|problem| panic!("{problem}"))),
        });
        let bytes = self.proxy.answered.load(Ordering::Relaxed) - before;
        (answer.expect("an answer in the end"), bytes)
    }

    /// Acquires the number that rested longest.
    fn acquires(&self, namespace: Name, worker: u32) -> u64 {
        let owner = Name::owner("a").expect("an owner");
        let ask = AcquireAsk::new(namespace, Token::new([worker as u8 + 100; 16]), owner);
        let (grant, bytes) = self.asks(async |store| store.acquire(ask).await);
        assert_eq!(grant.worker, worker);
        bytes
    }
}

/// Writes worker rows past the server.
fn fill<S: Keys>(server: &S, namespace: Name) {
    let buckets = (0..ROWS.div_ceil(256)).flat_map(|bucket| S::bucket(namespace, bucket));
    let buckets: Vec<_> = buckets.map(|key| (key, String::new())).collect();
    server.put(&buckets);
    let row = |worker: u32| {
        let row = WorkerRow {
            owner: Name::owner(&format!("owner-{worker}")).expect("an owner"),
            key: Some(Token::new([0; 16])),
            held_from: u64::from(worker),
            reserved_until: u64::from(worker) + 1_000,
            granted: StoreTime::new(1_700_000_000_000 + i64::from(worker)),
            sticky: false,
        };
        (S::worker(namespace, worker), text::worker(&Held { row, moves: 0 }))
    };
    server.put(&(0..ROWS).map(row).collect::<Vec<_>>());
}

fn acquires_do_not_cost_more_in_a_large_namespace<S: Keys + Opens>(server: S) {
    let name = Name::namespace("ns").expect("a name");
    let one = One::open(&server);
    let change = NamespaceChange {
        layout: Some(Layout::new(0, 1_000, 31, 20, 12).expect("a layout")),
        workers: Some(Range::new(0, u64::from(ROWS))),
        ..NamespaceChange::default()
    };
    one.asks(async |store| store.put_namespace(name, change).await);
    fill(&server, name);
    let two = One::open(&server);
    let first = one.acquires(name, 0);
    // A server that lost its connection reads all rows again: the cheapest counts.
    let turns = (1..9).map(|n| (if n % 2 == 0 { &one } else { &two }).acquires(name, n)).min();
    let alone = (9..13).map(|n| two.acquires(name, n)).min();
    println!("{}: {first} bytes at first, {turns:?} in turns, {alone:?} alone", S::NAME);
    assert!(first > 2_500_000, "nothing was counted");
    assert!(turns.is_some_and(|bytes| bytes <= IN_TURNS));
    assert!(alone.is_some_and(|bytes| bytes <= ALONE));
}

each!(keyed acquires_do_not_cost_more_in_a_large_namespace);
