//! The cost of an acquire, in bytes that the engine answers, does not grow with the namespace.

use std::sync::atomic::Ordering;

use leafid_core::registry::WorkerRow;
use leafid_core::{Layout, Name, StoreTime, Token};
use leafid_servers::Proxy;
use leafid_store::keyed::{Held, text};
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_store::store::NamespaceChange;

use super::keys::Keys;
use crate::asks::{acquire, namespace, workers};
use crate::opens::{Opens, served};

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
        let store = S::registry(&proxy.through(&server.url()));
        One { proxy, store }
    }

    /// Asks until the engine answers in time, and gives the bytes of the answers.
    async fn asks<T>(&self, ask: impl AsyncFn(&Registry) -> Result<T, Problem>) -> (T, u64) {
        let before = self.proxy.answered.load(Ordering::Relaxed);
        let answer = served(async || ask(&self.store).await).await;
        (answer, self.proxy.answered.load(Ordering::Relaxed) - before)
    }

    /// Acquires the number that rested longest.
    async fn acquires(&self, worker: u32) -> u64 {
        let ask = acquire(worker);
        let (grant, bytes) = self.asks(async |store| store.acquire(ask).await).await;
        assert_eq!(grant.worker, worker);
        bytes
    }
}

/// Writes worker rows past the server.
fn fill<S: Keys>(server: &S) {
    let buckets = (0..ROWS.div_ceil(256)).flat_map(|bucket| S::bucket(namespace(), bucket));
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
        (S::worker(namespace(), worker), text::worker(&Held { row, moves: 0 }))
    };
    server.put(&(0..ROWS).map(row).collect::<Vec<_>>());
}

async fn acquires_do_not_cost_more_in_a_large_namespace<S: Keys + Opens + Sync>(server: S) {
    let one = One::open(&server);
    let layout = Some(Layout::new(0, 1_000, 31, 20, 12).expect("a layout"));
    let change = NamespaceChange { layout, ..workers(0, ROWS.into()) };
    one.asks(async |store| store.put_namespace(namespace(), change).await).await;
    // On another thread, as it has a runtime of its own.
    std::thread::scope(|scope| scope.spawn(|| fill(&server)).join().expect("it is written"));
    let two = One::open(&server);
    let first = one.acquires(0).await;
    // A server that lost its connection reads all rows again: the cheapest counts.
    let (mut turns, mut alone) = (u64::MAX, u64::MAX);
    for n in 1..9 {
        turns = turns.min([&one, &two][n as usize % 2].acquires(n).await);
    }
    for n in 9..13 {
        alone = alone.min(two.acquires(n).await);
    }
    println!("{}: {first} bytes at first, {turns} in turns, {alone} alone", S::NAME);
    assert!(first > 2_500_000, "nothing was counted");
    assert!(turns <= IN_TURNS && alone <= ALONE);
}

each!(keyed async acquires_do_not_cost_more_in_a_large_namespace);
