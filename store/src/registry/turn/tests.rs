//! Which of the waiting requests a turn takes up, in which order.

use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use futures_util::FutureExt;
use leafid_core::registry::TagRow;
use leafid_core::{AcquireAsk, Code, Name, Range, Release, StoreTime, Token};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use crate::backends::opening::Options;
use crate::backends::sqlite::Sqlite;
use crate::backends::{Abilities, Answer as Rows, BackEnd, Facts, Group, Outcome, Want};
use crate::clock::{Clock, ManualClock};
use crate::problem::Problem;
use crate::registry::job::Kind;
use crate::registry::{Answer, Registry};
use crate::store::{NamespaceChange, TagChange};
use leafid_turn::groups::Scope;

const NOW: StoreTime = StoreTime::new(1_800_000_000_000);
const LIMIT: Duration = Duration::from_secs(30);

/// A file in which reading a tag takes as many ms as the number in its name, one request's rows at a
/// time.
struct Slow {
    file: Sqlite,
    facts: Facts,
    clock: Arc<ManualClock>,
    turns: Arc<AtomicUsize>,
    far: Option<Far>,
}

type First = Arc<Mutex<Option<Pin<Box<dyn Answer<TagRow>>>>>>;

/// Delays writes until permitted, and records whether the first ask was answered when a write began.
struct Far {
    may: Arc<Semaphore>,
    first: First,
    begins: UnboundedSender<bool>,
}

impl Slow {
    fn open(folder: &Path, clock: &Arc<ManualClock>) -> Slow {
        let options = Options { create: true, ..Options::default() };
        let file = Sqlite::open(&folder.join("a.db"), clock.clone(), &options).unwrap();
        let facts = Facts { abilities: Abilities::LOCAL, ..file.facts().clone() };
        Slow { file, facts, clock: clock.clone(), turns: Arc::default(), far: None }
    }

    /// The same file as a remote one with [`Far`], and the handles to control and observe it.
    fn far(mut self) -> (Slow, Arc<Semaphore>, First, UnboundedReceiver<bool>) {
        let (may, first) = (Arc::new(Semaphore::new(0)), First::default());
        let (begins, begun) = unbounded_channel();
        self.facts.abilities.is_remote = true;
        self.far = Some(Far { may: Arc::clone(&may), first: Arc::clone(&first), begins });
        (self, may, first, begun)
    }
}

impl BackEnd for Slow {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    async fn begin(&mut self) -> Result<(), Problem> {
        self.file.begin().await
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Vec<Rows>, Problem> {
        let takes = wants.iter().map(|want| match want {
            Want::Tag(tag) => tag.as_str().rsplit('-').next().unwrap().parse().unwrap_or(0),
            _ => 0,
        });
        self.clock.set(self.clock.wall().plus(takes.sum()));
        self.file.read(wants).await
    }

    async fn write(&mut self, groups: &[Group]) -> Result<Vec<Outcome>, Problem> {
        self.turns.fetch_add(1, Ordering::SeqCst);
        if let Some(Far { may, first, begins }) = &self.far {
            let first = first.lock().unwrap().as_mut().map(|first| first.now_or_never());
            begins.send(first.flatten().is_some()).unwrap();
            may.acquire().await.unwrap().forget();
        }
        self.file.write(groups).await
    }
}

struct Busy {
    _folder: tempfile::TempDir,
    clock: Arc<ManualClock>,
    registry: Registry,
    turns: Arc<AtomicUsize>,
    done: Arc<Mutex<Vec<u32>>>,
}

impl Busy {
    fn new() -> Busy {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::at(NOW));
        let slow = Slow::open(folder.path(), &clock);
        let turns = Arc::clone(&slow.turns);
        let registry = Registry::over(None, slow, false).unwrap();
        Busy { _folder: folder, clock, registry, turns, done: Arc::default() }
    }

    /// Blocks the registry's thread until a message is sent.
    fn hold(&self) -> mpsc::Sender<()> {
        let (go, wait) = mpsc::channel();
        let (begun, has_begun) = mpsc::channel();
        let wait = Mutex::new(wait);
        // A change is carried out although its answer is dropped.
        drop(self.registry.submit(Kind::Change, Scope::Nothing, move |_| {
            begun.send(()).unwrap();
            wait.lock().unwrap().recv().unwrap();
            Ok(())
        }));
        has_begun.recv().unwrap();
        go
    }

    fn submit(&self, kind: Kind, number: u32, takes_ms: i64) -> impl Answer<()> {
        let done = Arc::clone(&self.done);
        let tag = Name::tag(&format!("{number}-{takes_ms}")).unwrap();
        self.registry.submit(kind, Scope::Nothing, move |turn| {
            turn.tag(&tag)?;
            done.lock().unwrap().push(number);
            Ok(())
        })
    }

    fn done(&self) -> Vec<u32> {
        self.done.lock().unwrap().clone()
    }
}

#[tokio::test]
async fn what_nobody_waits_for_is_not_done() {
    let busy = Busy::new();
    let go = busy.hold();
    for kind in [Kind::Acquire, Kind::Take, Kind::Change] {
        drop(busy.submit(kind, kind as u32, 0));
    }
    let last = busy.submit(Kind::Take, 100, 0);
    go.send(()).unwrap();
    last.await.unwrap();
    assert_eq!(busy.done(), [Kind::Change as u32, 100], "a change holds all the same");
}

#[tokio::test]
async fn what_waited_longer_than_its_caller_does_is_refused() {
    for (waited, is_done) in [(3_000, true), (3_001, false)] {
        let busy = Busy::new();
        let go = busy.hold();
        let asked = [Kind::Acquire, Kind::Take, Kind::Change].map(|kind| busy.submit(kind, 1, 0));
        busy.clock.set(NOW.plus(waited));
        go.send(()).unwrap();
        let [acquire, take, change] = asked;
        for late in [acquire.await, take.await] {
            assert_eq!(late.is_ok(), is_done, "after {waited} ms: {late:?}");
            if let Err(problem) = late {
                assert_eq!(problem.code, Code::Overloaded);
                assert!(problem.retry_after_ms.is_some(), "{problem}");
                assert!(problem.detail.contains("3001 ms"), "{problem}");
            }
        }
        change.await.unwrap();
        assert_eq!(busy.done().len(), if is_done { 3 } else { 1 });
    }
}

#[tokio::test]
async fn a_long_batch_is_committed_in_slices() {
    let busy = Busy::new();
    let go = busy.hold();
    // 40 times 5 ms of work that waits together.
    let waiting: Vec<_> = (0..40).map(|number| busy.submit(Kind::Acquire, number, 5)).collect();
    go.send(()).unwrap();
    for answer in waiting {
        answer.await.unwrap();
    }
    let turns = busy.turns.load(Ordering::SeqCst);
    // The request that blocks the thread has a turn of its own.
    assert_eq!(turns, 1 + 10, "40 requests of 5 ms, 20 ms at a time");
}

#[tokio::test]
async fn acquires_keep_nobody_else_waiting() {
    let busy = Busy::new();
    let go = busy.hold();
    let mut waiting: Vec<_> =
        (0..500).map(|number| busy.submit(Kind::Acquire, number, 5)).collect();
    let others: Vec<_> = (1_000..1_010).map(|number| busy.submit(Kind::Take, number, 5)).collect();
    go.send(()).unwrap();
    waiting.extend(others);
    for answer in waiting {
        answer.await.unwrap();
    }
    let done = busy.done();
    let last = done.iter().rposition(|number| *number >= 1_000).unwrap();
    assert_eq!((done.len(), last < 20), (510, true), "the last of ten others was done as {last}.");
    // Each line keeps the order of arrival.
    assert!(done.iter().filter(|number| **number < 1_000).is_sorted());
    assert!(done.iter().filter(|number| **number >= 1_000).is_sorted());
}

#[tokio::test]
async fn too_many_are_refused_at_once_and_the_others_are_done() {
    let busy = Busy::new();
    let go = busy.hold();
    let waiting: Vec<_> = (0..10_000).map(|number| busy.submit(Kind::Acquire, number, 0)).collect();
    go.send(()).unwrap();
    let mut refused = 0;
    for answer in waiting {
        if let Err(problem) = answer.await {
            assert_eq!(problem.code, Code::Overloaded, "{problem}");
            refused += 1;
        }
    }
    assert_eq!((busy.done().len(), refused), (8_192, 10_000 - 8_192));
}

#[test]
fn changes_that_wait_are_made_when_the_store_is_closed() {
    let busy = Busy::new();
    let go = busy.hold();
    drop(busy.submit(Kind::Change, 1, 0));
    let Busy { registry, done, .. } = busy;
    let (closed, is_closed) = oneshot::channel();
    let closing = std::thread::spawn(move || {
        drop(registry);
        closed.send(()).unwrap();
    });
    go.send(()).unwrap();
    is_closed.blocking_recv().unwrap();
    closing.join().unwrap();
    assert_eq!(*done.lock().unwrap(), [1]);
}

/// A change of a range also changes the rows of its numbers, which the turn has read before.
#[tokio::test]
async fn a_release_that_waits_with_a_change_of_the_range_sees_what_that_left() {
    let busy = Busy::new();
    let namespace = Name::namespace("default").unwrap();
    let ask = AcquireAsk::new(namespace, Token::new([1; 16]), Name::owner("o").unwrap());
    let ask = AcquireAsk { length_ms: Some(1_000), ..ask };
    let grant = busy.registry.acquire(ask).await.unwrap();
    assert_eq!(grant.worker, 0);
    busy.clock.set(NOW.plus(5_000));
    let before = busy.turns.load(Ordering::SeqCst);
    let go = busy.hold();
    let change = NamespaceChange { workers: Some(Range::new(1, 4)), ..NamespaceChange::default() };
    let set = busy.registry.put_namespace(namespace, change);
    let release = busy.registry.release(Release::new(namespace, &grant));
    let revoke = busy.registry.revoke(namespace, 0);
    go.send(()).unwrap();
    assert_eq!(set.await.unwrap().workers, Range::new(1, 4));
    assert_eq!(release.await.unwrap_err().code, Code::LeaseLost);
    revoke.await.unwrap();
    let turns = busy.turns.load(Ordering::SeqCst) - before;
    assert_eq!(turns, 1 + 2, "the change, then what waited for it");
}

#[tokio::test]
async fn what_waits_is_done_when_the_store_is_closed_and_nothing_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at(NOW));
    for here in [Some(Handle::current()), None] {
        let (far, may, _, mut begun) = Slow::open(folder.path(), &clock).far();
        let registry = Registry::over(here.as_ref(), far, false).unwrap();
        let put = |tag| Box::pin(registry.put_tag(Name::tag(tag).unwrap(), TagChange::default()));
        let (first, second) = (put("first"), put("second"));
        assert!(timeout(LIMIT, begun.recv()).await.unwrap().is_some());
        let mut closed = Box::pin(registry.close());
        let late = timeout(LIMIT, put("late")).await.unwrap().unwrap_err();
        assert!(late.detail.contains("closed"), "{late}");
        assert!((&mut closed).now_or_never().is_none(), "one is being written");
        may.add_permits(2);
        timeout(LIMIT, closed).await.unwrap();
        first.now_or_never().unwrap().unwrap();
        second.now_or_never().unwrap().unwrap();
    }
}

#[tokio::test]
async fn what_is_done_is_answered_while_the_next_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at(NOW));
    let (far, may, first, mut begun) = Slow::open(folder.path(), &clock).far();
    // The store's own thread polls the first answer.
    let registry: &'static Registry =
        Box::leak(Box::new(Registry::over(None, far, false).unwrap()));
    let put = |tag| Box::pin(registry.put_tag(Name::tag(tag).unwrap(), TagChange::default()));
    let mut begun = async || timeout(LIMIT, begun.recv()).await.unwrap();

    *first.lock().unwrap() = Some(put("first"));
    assert_eq!(begun().await, Some(false));
    let second = put("second");
    may.add_permits(1);
    assert_eq!(begun().await, Some(false), "the second write has begun before");
    // The second write is still held back, but the first is answered.
    let first = first.lock().unwrap().take().unwrap();
    timeout(LIMIT, first).await.unwrap().unwrap();
    may.add_permits(1);
    // The last is answered although no request follows.
    timeout(LIMIT, second).await.unwrap().unwrap();
}
