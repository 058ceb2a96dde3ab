//! Which wall clocks a store accepts when it starts.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use leafid_core::{
    AcquireAsk, Code, Name, Range, RenewAsk, SegmentAsk, StoreTime, Token, WindowGrant,
};
use leafid_store::backends::opening::Options;
use leafid_store::clock::ManualClock;
use leafid_store::opening::open_sqlite;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_store::store::{NamespaceChange, TagChange};
use tempfile::TempDir;

const START: i64 = 1_800_000_000_000;
const DAY: i64 = 86_400_000;

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    (folder, file)
}

fn open(file: &Path, at: i64, believe_clock: bool) -> Result<Registry, Problem> {
    let clock = Arc::new(ManualClock::at(StoreTime::new(at)));
    open_sqlite(file, clock, &Options { create: true, believe_clock, ..Options::default() })
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_clock_that_leaps_is_told() {
    let log = Log::default();
    let lines = log.clone();
    // The subscriber is global, as the store's thread logs, so only one test here can read the log.
    tracing_subscriber::fmt().with_writer(move || lines.clone()).init();
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at(StoreTime::new(START)));
    let options = Options { create: true, ..Options::default() };
    let store = open_sqlite(&folder.path().join("a.db"), clock.clone(), &options).unwrap();
    clock.step_wall(7_654_321);
    assert_eq!(store.now().await.unwrap().get(), START);
    let told = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let line = told.lines().find(|line| line.contains("by_ms=7654321"));
    assert!(line.is_some_and(|line| line.contains(" WARN ")), "{told}");
}

async fn one(store: &Registry) -> Name {
    let name = Name::namespace("one").unwrap();
    let workers = Some(Range::new(0, 1));
    store.put_namespace(name, NamespaceChange { workers, ..Default::default() }).await.unwrap();
    name
}

async fn acquire(store: &Registry, namespace: Name, n: u8) -> Result<WindowGrant, Problem> {
    let owner = Name::owner("o").unwrap();
    store.acquire(AcquireAsk::new(namespace, Token::new([n; 16]), owner)).await
}

#[tokio::test]
async fn a_store_without_grants_believes_any_clock() {
    let (_folder, file) = place();
    for at in [START, START + 3650 * DAY, START - 3650 * DAY] {
        let store = open(&file, at, false).unwrap();
        assert_eq!(store.ready().await.unwrap().get(), at);
    }
}

#[tokio::test]
async fn a_clock_far_from_the_last_grant_is_refused_with_both_times() {
    let (_folder, file) = place();
    let store = open(&file, START, false).unwrap();
    let default = Name::namespace("default").unwrap();
    acquire(&store, default, 1).await.unwrap();
    drop(store);
    // A month's pause, and a clock that was set back by a day: time never begins before the last grant.
    for (at, begins) in [(START + 30 * DAY, START + 30 * DAY), (START - DAY, START)] {
        let store = open(&file, at, false).unwrap();
        assert_eq!(store.now().await.unwrap().get(), begins);
    }
    for (at, says) in [
        (START + 30 * DAY + 1, "2027-02-14T08:00:00.001Z"),
        (START + 3650 * DAY, "3650 days after"),
        (START - DAY - 1, "2027-01-14T07:59:59.999Z"),
        (START - 400 * DAY, "400 days before"),
        (5, "1970-01-01"),
    ] {
        let refused = open(&file, at, false).unwrap_err();
        assert_eq!(refused.code, Code::StoreRefused, "{refused}");
        for says in [says, "2027-01-15T08:00:00.000Z", "--believe-clock"] {
            assert!(refused.detail.contains(says), "{says}: {refused}");
        }
    }
    let store = open(&file, START + 2, false).unwrap();
    assert_eq!(
        store.found().unwrap().last_grant,
        Some(StoreTime::new(START)),
        "a refused start wrote nothing"
    );
}

/// A store was started with a clock ten years ahead: with the right clock, time comes back, and nothing is
/// granted twice.
#[tokio::test]
async fn a_clock_that_is_believed_ends_what_a_wrong_one_stamped() {
    let (_folder, file) = place();
    let wrong = open(&file, START + 3650 * DAY, false).unwrap();
    let name = one(&wrong).await;
    let granted = acquire(&wrong, name, 1).await.unwrap();
    drop(wrong);
    assert_eq!(open(&file, START, false).unwrap_err().code, Code::StoreRefused);
    let right = open(&file, START, true).unwrap();
    assert_eq!(right.now().await.unwrap().get(), START);
    let default = Name::namespace("default").unwrap();
    let grant = acquire(&right, default, 2).await.unwrap();
    assert_eq!(grant.now.get(), START);
    // The only number of the other namespace stays reserved until its window ends.
    let refused = acquire(&right, name, 3).await.unwrap_err();
    assert_eq!(refused.code, Code::WorkersExhausted);
    assert_eq!(refused.free_at, Some(granted.layout.time(granted.ticks.end)));
    drop(right);
    let again = open(&file, START + 1_000, false).expect("the next start needs no flag");
    assert_eq!(again.now().await.unwrap().get(), START + 1_000);
}

/// The server with the wrong clock still runs: the times of its grants are lowered in the shared store, which
/// it must not take for a loss.
#[tokio::test]
async fn a_clock_that_is_believed_beside_a_server_fences_nothing() {
    let (_folder, file) = place();
    let first = open(&file, START + 3650 * DAY, false).unwrap();
    let (name, tag) = (one(&first).await, Name::tag("orders").unwrap());
    let granted = acquire(&first, name, 1).await.unwrap();
    first.put_tag(tag, TagChange::default()).await.unwrap();
    let lease = async |n| {
        let ask = SegmentAsk::new(tag, Token::new([n; 16]));
        first.lease_segment(ask).await.unwrap()
    };
    let before = lease(2).await;

    let right = open(&file, START, true).unwrap();
    assert_eq!(right.now().await.unwrap().get(), START);
    // Its holder can renew, and its tags keep their positions.
    let renewal = RenewAsk::new(name, Token::new([3; 16]), &granted);
    let renewed = first.renew(renewal).await.unwrap();
    assert_eq!(renewed.worker, granted.worker);
    assert_eq!(lease(4).await.range.start, before.range.end);
}

/// A trusted clock that is ahead is trusted at the next start, too, even if no window was granted meanwhile.
#[tokio::test]
async fn a_clock_ahead_that_is_believed_needs_no_flag_twice() {
    let (_folder, file) = place();
    let store = open(&file, START, false).unwrap();
    acquire(&store, Name::namespace("default").unwrap(), 1).await.unwrap();
    drop(store);
    let later = START + 400 * DAY;
    assert_eq!(open(&file, later, false).unwrap_err().code, Code::StoreRefused);
    open(&file, later, true).unwrap();
    open(&file, later + DAY, false).unwrap();
}

/// Leases of numbers record no time, but a store that grants only those is not taken for an unused one.
#[tokio::test]
async fn a_store_that_only_leases_numbers_starts_after_months() {
    let (_folder, file) = place();
    let clock = Arc::new(ManualClock::at(StoreTime::new(START)));
    let options = Options { create: true, ..Options::default() };
    let store = open_sqlite(&file, clock.clone(), &options).unwrap();
    acquire(&store, Name::namespace("default").unwrap(), 1).await.unwrap();
    let tag = Name::tag("orders").unwrap();
    store.put_tag(tag, TagChange::default()).await.unwrap();
    for day in 0..100 {
        clock.set(StoreTime::new(START + day * DAY));
        let ask = SegmentAsk::new(tag, Token::new([day as u8; 16]));
        store.lease_segment(ask).await.unwrap();
    }
    drop(store);
    open(&file, START + 105 * DAY, false).unwrap();
    assert_eq!(open(&file, START + 135 * DAY, false).unwrap_err().code, Code::StoreRefused);
}
