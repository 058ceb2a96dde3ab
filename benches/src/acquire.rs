//! How much of a processor an acquire costs in namespaces of all sizes, on the real store and a
//! file: ten times the numbers should not be ten times the work.
//!
//! `cargo run --release -p leafid-benches --bin acquire`

mod measure;

use std::path::Path;
use std::sync::Arc;

use leafid_core::{AcquireAsk, Layout, Name, Range, Release, Token};
use leafid_store::backends::opening::Options;
use leafid_store::clock::SystemClock;
use leafid_store::opening::open_sqlite;
use leafid_store::registry::Registry;
use leafid_store::store::{NamespaceChange, Store};
use tokio::runtime::Runtime;

use measure::{Work, in_turns, print};

const SIZES: [u32; 3] = [10, 1_000, 65_536];
/// So many ask at once, and are committed together.
const TOGETHER: u64 = 8;

/// What a namespace has seen.
#[derive(Clone, Copy)]
enum Past {
    /// All numbers were used; nobody keeps one.
    Rested,
    /// All that were used are kept by others, and there are more.
    Unused,
    /// All were used, and each is kept by its owner, who asks again.
    Kept,
}

fn main() {
    let runtime = Runtime::new().expect("a runtime");
    for (title, past) in [
        ("acquire and release: all numbers used before", Past::Rested),
        ("acquire and release: unused numbers left", Past::Unused),
        ("acquire and release: everybody's own number", Past::Kept),
    ] {
        let folders = SIZES.map(|_| tempfile::tempdir().expect("a temporary folder"));
        let mut spaces = [0, 1, 2].map(|at| Space::new(folders[at].path(), SIZES[at], past));
        let names = SIZES.map(|rows| format!("{rows} rows"));
        let works = spaces.iter_mut().zip(&names).map(|(space, name)| {
            let runtime = &runtime;
            let run = Box::new(move || runtime.block_on(space.turn()));
            Work { name, ids: TOGETHER, run }
        });
        print(title, &in_turns(works.collect(), 20, processor));
    }
}

/// The time that this process has had of all processors, in ns: waiting for a disk, or for other
/// processes, is not in it.
fn processor() -> u128 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as u128 * 1_000_000_000 + time.tv_nsec as u128
}

struct Space {
    store: Registry,
    past: Past,
    name: Name,
    rows: u32,
    asked: u64,
}

impl Space {
    fn new(folder: &Path, rows: u32, past: Past) -> Space {
        let file = folder.join("store.db");
        let name = Name::namespace("ns").expect("a name");
        let open = || {
            let clock = Arc::new(SystemClock);
            let options = Options { create: true, ..Options::default() };
            open_sqlite(&file, clock, options).expect("a store")
        };
        let put = |end: u64| {
            let change = NamespaceChange {
                layout: Some(Layout::new(0, 1, 41, 22, 0).expect("a layout")),
                workers: Some(Range::new(0, end)),
                max_window_ms: None,
                only_create: false,
            };
            let runtime = Runtime::new().expect("a runtime");
            runtime.block_on(open().put_namespace(name, change)).expect("a namespace");
        };
        put(1);
        let kept = u8::from(!matches!(past, Past::Rested));
        let fill = format!(
            "WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number
                 WHERE n + 1 < {rows})
             INSERT INTO workers (namespace, worker, owner, sticky, key, held_from,
                 reserved_until, granted_ms)
             SELECT 'ns', n, 'owner-' || n, {kept}, randomblob(16), n, n + 1000,
                 unixepoch() * 1000 FROM number"
        );
        let connection = rusqlite::Connection::open(&file).expect("the file opens");
        connection.execute_batch(&fill).expect("rows");
        drop(connection);
        put(if matches!(past, Past::Unused) { 1 << 22 } else { rows.into() });
        Space { store: open(), past, name, rows, asked: 0 }
    }

    /// Some acquire together, and then give it back together.
    async fn turn(&mut self) -> u64 {
        let first = self.asked;
        self.asked += TOGETHER;
        let asks = (first..self.asked).map(|n| self.ask(n));
        let asked: Vec<_> = asks.map(|ask| self.store.acquire(ask)).collect();
        let mut grants = Vec::new();
        for answer in asked {
            grants.push(answer.await.expect("a number is free"));
        }
        let released: Vec<_> =
            grants.iter().map(|grant| self.store.release(Release::new(self.name, grant))).collect();
        for answer in released {
            answer.await.expect("it was granted here");
        }
        grants.iter().map(|grant| u64::from(grant.worker)).sum()
    }

    fn ask(&self, n: u64) -> AcquireAsk {
        // Numbers in no order, as different processes are.
        let own = n.wrapping_mul(7_919) % u64::from(self.rows);
        let (owner, sticky) = match self.past {
            Past::Kept => (format!("owner-{own}"), true),
            Past::Rested | Past::Unused => ("bench".to_owned(), false),
        };
        let mixed = u128::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let owner = Name::owner(&owner).expect("a name");
        AcquireAsk { sticky, ..AcquireAsk::new(self.name, Token::new(mixed.to_be_bytes()), owner) }
    }
}
