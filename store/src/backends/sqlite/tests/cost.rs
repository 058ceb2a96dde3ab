//! The cost of an acquire, in steps of SQLite's virtual machine, does not depend on the number of rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use leafid_core::{AcquireAsk, Code, Layout, Name, Range, StoreTime, Token};
use leafid_turn::sql::SQLITE;
use rusqlite::Connection;

use crate::backends::opening::Options;
use crate::backends::sqlite::Sqlite;
use crate::clock::ManualClock;
use crate::registry::Registry;
use crate::store::NamespaceChange;

const NOW: StoreTime = StoreTime::new(1_800_000_000_000);
/// How long after it was last seen an owner keeps its number: 30 days.
const STICKY_KEEP_MS: i64 = 30 * 86_400_000;
const SIZES: [u32; 3] = [10, 1_000, 65_536];

/// A namespace whose numbers were all handed out one after another, are free, and that no owner keeps.
struct Space {
    _folder: tempfile::TempDir,
    store: Registry,
    connection: Connection,
    steps: Arc<AtomicU64>,
    asked: u8,
}

impl Space {
    fn new(rows: u32, range: u32) -> Space {
        let clock = Arc::new(ManualClock::at(NOW));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let create = Options { create: true, ..Options::default() };
        let mut file = Sqlite::open(&path, clock.clone(), &create).unwrap();
        let steps = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&steps);
        let handler = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            false
        };
        file.connection.progress_handler(1, Some(handler)).unwrap();
        let store = Registry::over(None, file, false).unwrap();
        // One that is no server reads who else is there with each write.
        store.attend("one".to_owned(), None).unwrap();
        let connection = Connection::open(&path).unwrap();
        let mut space = Space { _folder: folder, store, connection, steps, asked: 0 };
        space.put(Range::new(0, 1));
        space.sql(&format!(
            "WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number
                 WHERE n + 1 < {rows})
             INSERT INTO workers (namespace, worker, owner, sticky, key, held_from,
                 reserved_until, granted_ms)
             SELECT 'ns', n, 'owner-' || n, 0, randomblob(16), n, n + 1000, n FROM number"
        ));
        space.put(Range::new(0, range.into()));
        space
    }

    fn sql(&self, sql: &str) {
        self.connection.execute_batch(sql).unwrap();
    }

    fn put(&mut self, workers: Range) {
        let change = NamespaceChange {
            layout: Some(Layout::new(0, 1_000, 31, 20, 12).unwrap()),
            workers: Some(workers),
            max_window_ms: None,
            only_create: false,
        };
        wait(self.store.put_namespace(name(), change)).unwrap();
    }

    fn acquire(&mut self, owner: &str, sticky: bool) -> (Result<u32, Code>, u64) {
        self.asked += 1;
        self.again(owner, sticky)
    }

    fn again(&mut self, owner: &str, sticky: bool) -> (Result<u32, Code>, u64) {
        // The store reads its register once a second: this read does that first, so that it is not counted.
        wait(self.store.namespace(name())).unwrap();
        let before = self.steps.load(Ordering::Relaxed);
        let (request, owner) = (Token::new([self.asked; 16]), Name::owner(owner).unwrap());
        let ask = AcquireAsk { sticky, ..AcquireAsk::new(name(), request, owner) };
        let answer = wait(self.store.acquire(ask));
        let answer = answer.map(|grant| grant.worker).map_err(|problem| problem.code);
        (answer, self.steps.load(Ordering::Relaxed) - before)
    }

    fn two_rows(&self) -> u64 {
        let before = self.steps.load(Ordering::Relaxed);
        wait(self.store.namespace(name())).unwrap();
        let namespace = self.steps.load(Ordering::Relaxed) - before;
        let counted = Arc::new(AtomicU64::new(0));
        let steps = Arc::clone(&counted);
        let handler = move || {
            steps.fetch_add(1, Ordering::Relaxed);
            false
        };
        let mut other = Connection::open(self.connection.path().unwrap()).unwrap();
        other.progress_handler(1, Some(handler)).unwrap();
        let mut look = other.prepare(SQLITE.text("mine").sql).unwrap();
        let mut mine = || {
            let before = counted.load(Ordering::Relaxed);
            look.query_row(("ns", &[self.asked; 16]), |_| Ok(())).unwrap();
            counted.load(Ordering::Relaxed) - before
        };
        // The first query also reads the schema.
        mine();
        namespace + mine()
    }
}

fn wait<T>(answer: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(answer)
}

fn name() -> Name {
    Name::namespace("ns").unwrap()
}

/// Runs the same in namespaces of all sizes and compares the costs.
fn costs_the_same(what: &str, run: impl Fn(u32) -> u64) {
    let steps = SIZES.map(run);
    println!("{what}: {steps:?} steps in namespaces of {SIZES:?} rows");
    assert!(steps[0] > 0, "nothing was counted");
    assert!(steps.iter().all(|count| *count == steps[0]), "{what}: {steps:?}");
}

#[test]
fn numbers_that_rest() {
    costs_the_same("rested", |rows| {
        let mut space = Space::new(rows, rows);
        assert_eq!(space.acquire("a", false).0, Ok(0));
        let (given, steps) = space.acquire("a", false);
        assert_eq!(given, Ok(1));
        steps
    });
}

#[test]
fn numbers_that_were_never_used() {
    costs_the_same("unused", |rows| {
        let mut space = Space::new(rows, rows + 5);
        assert_eq!(space.acquire("a", false).0, Ok(rows));
        let (given, steps) = space.acquire("a", false);
        assert_eq!(given, Ok(rows + 1));
        steps
    });
}

#[test]
fn numbers_that_others_keep() {
    costs_the_same("own", |rows| {
        let mut space = Space::new(rows, rows);
        space.sql(&format!("UPDATE workers SET sticky = 1, granted_ms = {}", NOW.get()));
        let (given, steps) = space.acquire("owner-7", true);
        assert_eq!(given, Ok(7));
        steps
    });
    costs_the_same("all are kept", |rows| {
        let mut space = Space::new(rows, rows);
        space.sql(&format!("UPDATE workers SET sticky = 1, granted_ms = {}", NOW.get()));
        let (given, steps) = space.acquire("stranger", true);
        assert_eq!(given, Err(Code::WorkersExhausted));
        steps
    });
    costs_the_same("kept no longer", |rows| {
        let mut space = Space::new(rows, rows);
        let over = NOW.get() - STICKY_KEEP_MS;
        space.sql(&format!("UPDATE workers SET sticky = 1, granted_ms = {} - worker", over + 3));
        let (given, steps) = space.acquire("stranger", true);
        assert_eq!(given, Ok(rows - 1));
        steps
    });
}

#[test]
fn numbers_that_left_the_range() {
    costs_the_same("narrowed", |rows| {
        let mut space = Space::new(rows, rows);
        // The numbers that left the range are those that rested longest.
        space.put(Range::new(u64::from(rows) - 5, rows.into()));
        let (given, steps) = space.acquire("a", false);
        assert_eq!(given, Ok(rows - 5));
        steps
    });
    costs_the_same("narrowed, kept", |rows| {
        let mut space = Space::new(rows, rows);
        space.sql("UPDATE workers SET sticky = 1");
        space.put(Range::new(u64::from(rows) - 5, rows.into()));
        let (given, steps) = space.acquire("a", false);
        assert_eq!(given, Ok(rows - 5));
        steps
    });
}

#[test]
fn numbers_that_came_back_into_the_range() {
    costs_the_same("widened", |rows| {
        let mut space = Space::new(rows, rows);
        space.put(Range::new(u64::from(rows) - 5, rows.into()));
        space.put(Range::new(0, u64::from(rows)));
        // All are held, so nothing is written that would spare the next acquire the search.
        space.sql("UPDATE workers SET reserved_until = 2147483647");
        let (given, first) = space.acquire("a", false);
        assert_eq!(given, Err(Code::WorkersExhausted));
        let (given, second) = space.acquire("a", false);
        assert_eq!(given, Err(Code::WorkersExhausted));
        first.max(second)
    });
}

#[test]
fn a_request_that_comes_again_pays_for_its_own_row_alone() {
    for rows in SIZES {
        let mut space = Space::new(rows, rows);
        space.sql("UPDATE workers SET sticky = worker % 2");
        let (given, first) = space.acquire("a", true);
        let (repeated, again) = space.again("a", true);
        assert_eq!(given, repeated);
        let two_rows = space.two_rows();
        println!("{rows} rows: {first} steps, again {again}, of two rows {two_rows}");
        // The namespace is not read, but checked by a condition on each column.
        let allowed = two_rows..two_rows + 12;
        assert!(two_rows > 0 && allowed.contains(&again), "{rows} rows: {again} to answer again");
    }
}

/// Two servers decided for one owner at once, more than once, and the range was narrowed: each acquire
/// frees one of the owner's surplus numbers.
#[test]
fn an_owner_ends_with_one_number_inside_the_range() {
    let mut space = Space::new(10, 10);
    space.put(Range::new(3, 10));
    space.sql("UPDATE workers SET sticky = 1, owner = 'a' WHERE worker IN (0, 1, 2, 4, 5)");
    space.sql("UPDATE workers SET granted_ms = 1000000 WHERE worker = 4");
    let mut kept = Vec::new();
    for _ in 0..5 {
        space.acquire("a", true).0.unwrap();
        let sql = "SELECT group_concat(worker) FROM workers WHERE sticky = 1 AND owner = 'a'";
        kept.push(space.connection.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap());
        space.sql("UPDATE workers SET held_from = 0, reserved_until = 0 WHERE owner = 'a'");
    }
    assert_eq!(kept, ["0,1,2,4", "0,1,4", "0,4", "4", "4"]);
}
