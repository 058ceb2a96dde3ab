//! The verbs of generators, on stores in memory and in a file.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use leafid::conform::conform;
use leafid::host::clock::Clock;
use leafid::stores::{Backend, Memory};
use leafid::{
    Ask, Code, Error, Grant, Layout, Release, Segment, SegmentAsk, SegmentGrant, Snowflake, Store,
    Transport,
};

/// Runs a future on this thread: polls it once, and then when it was woken. Gives how often that was, too.
fn polled<T>(future: impl Future<Output = T>) -> (T, u64) {
    struct Unpark(Thread, AtomicU64);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.unpark();
        }
    }

    let unpark = Arc::new(Unpark(thread::current(), AtomicU64::new(0)));
    let waker = Waker::from(Arc::clone(&unpark));
    let mut future = pin!(future);
    let mut polls = 0;
    loop {
        polls += 1;
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return (value, polls);
        }
        while unpark.1.load(Ordering::Relaxed) < polls {
            thread::park();
        }
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    polled(future).0
}

fn memory(tag: &str) -> Segment {
    Segment::builder(tag).store(Store::memory().unwrap()).build().unwrap()
}

/// Draws in four threads, of which every second one draws alone what it needs for a while: each sees its IDs ascend,
/// and none is drawn twice.
macro_rules! draw_by_threads {
    ($ids:expr, $each:expr) => {{
        let ids = $ids;
        let drawn: Vec<Vec<i64>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|n| {
                    let (ids, mut local) = (ids.clone(), ids.local(50));
                    let mut draw = move || if n % 2 == 0 { ids.next() } else { local.next() };
                    scope.spawn(move || (0..$each).map(|_| draw().unwrap()).collect())
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(drawn.iter().all(|ids| ids.is_sorted()));
        let all: BTreeSet<i64> = drawn.iter().flatten().copied().collect();
        assert_eq!(all.len(), 4 * $each, "of {} IDs {} are different", 4 * $each, all.len());
        all
    }};
}

#[test]
fn threads_draw_from_one_generator_and_each_sees_its_ids_ascend() {
    draw_by_threads!(memory("orders"), 5_000);
    // Blocks of several ticks, of 16 IDs each.
    let layout = Layout::new(1_735_689_600_000, 1, 41, 10, 4).unwrap();
    let ids = Snowflake::builder("default").layout(layout).store(Store::memory().unwrap());
    let drawn = draw_by_threads!(ids.build().unwrap(), 2_000);
    let worker = |id: &i64| layout.decompose(id.cast_unsigned()).unwrap().worker;
    assert_eq!(drawn.iter().map(worker).collect::<BTreeSet<_>>().len(), 1);
}

#[test]
fn a_future_is_woken_by_the_answer_and_by_nothing_else() {
    let orders = memory("orders");
    let (first, polls) = polled(orders.next_async());
    assert_eq!(first.unwrap(), 1);
    assert!(polls <= 3, "{polls} polls: the first, and with the driver's start and its answer");
    let many = block_on(orders.take_async(3_000)).unwrap();
    assert_eq!((many.len(), many.is_sorted()), (3_000, true));
    let ids = Snowflake::builder("default").store(Store::memory().unwrap()).build().unwrap();
    let one = block_on(ids.next_async()).unwrap();
    assert!(Layout::LEAF.decompose(one as u64).is_ok());
}

/// A store that answers nothing.
struct Away;

impl Transport for Away {
    fn ask(&mut self, _: &Ask) -> Result<Grant, Error> {
        Err(Error::new(Code::StoreUnavailable, "it is away"))
    }

    fn release(&mut self, _: &Release) -> Result<(), Error> {
        Ok(())
    }
}

#[test]
fn a_call_ends_in_time_with_the_reason() {
    let store = Store::custom("away", || Box::new(Away));
    let orders = Segment::builder("orders").store(&store).timeout(Duration::from_millis(50));
    let orders = orders.build().unwrap();
    for refused in [orders.next().unwrap_err(), block_on(orders.next_async()).unwrap_err()] {
        assert_eq!(refused.code(), Code::TimedOut);
        let source = std::error::Error::source(&refused).unwrap().to_string();
        assert_eq!(source, "it is away");
        assert_eq!(refused.to_string(), "no ID of tag `orders` within 0.05 s: it is away");
    }
    assert_eq!(orders.stats().unwrap().last_code, Some(Code::StoreUnavailable));
}

#[test]
fn all_or_nothing() {
    let orders = memory("orders");
    let mut ids = vec![7; 100];
    orders.fill(&mut ids).unwrap();
    assert!(ids.is_sorted() && ids.first() == Some(&1));
    let refused = orders.take(usize::MAX).unwrap_err();
    assert_eq!(refused.code(), Code::CountInvalid);
    assert!(orders.take(0).unwrap().is_empty());
    assert_eq!(orders.iter().take(3).map(Result::unwrap).collect::<Vec<_>>(), [101, 102, 103]);
}

#[test]
fn bad_arguments_are_refused_by_their_codes() {
    let memory = || Store::memory().unwrap();
    let code = |built: Result<Segment, Error>| built.unwrap_err().code();
    assert_eq!(code(Segment::builder("").store(memory()).build()), Code::TagInvalid);
    assert_eq!(code(Segment::builder("a").store(memory()).step(0).build()), Code::StepInvalid);
    for url in ["ftp://x", "http://x#y", "http://x/y?z", "sqlite:", "sqlite:a\0b"] {
        assert_eq!(code(Segment::builder("a").store(url).build()), Code::RequestInvalid, "{url}");
    }
    assert_eq!(
        code(Segment::builder("a").store("http://localhost").create().build()),
        Code::RequestInvalid
    );
    let sticky = Snowflake::builder("default").store(memory()).sticky().build();
    assert_eq!(sticky.unwrap_err().code(), Code::RequestInvalid);
    let orders = memory_closed();
    assert_eq!(orders.next().unwrap_err().code(), Code::Closed);
    assert!(orders.is_closed());
}

fn memory_closed() -> Segment {
    let orders = memory("orders");
    orders.next().unwrap();
    orders.close().unwrap();
    orders
}

/// A future that was polled, and dropped before its answer, is forgotten.
#[test]
fn a_dropped_future_loses_no_id() {
    let orders = memory("orders");
    let mut first = Box::pin(orders.next_async());
    let _ = Pin::new(&mut first).poll(&mut Context::from_waker(Waker::noop()));
    drop(first);
    assert_eq!(orders.next().unwrap(), 1);
}

#[test]
fn a_store_in_a_file_is_made_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("ids.db").display());
    let missing = Segment::builder("orders").store(url.as_str()).build().unwrap();
    assert_eq!(missing.next().unwrap_err().code(), Code::StoreUnknown);
    drop(missing);
    let drawn: Vec<i64> = (0..2)
        .map(|_| {
            let orders = Segment::builder("orders").store(url.as_str()).create().build().unwrap();
            let id = orders.next().unwrap();
            orders.close().unwrap();
            id
        })
        .collect();
    assert_eq!(drawn, [1, 1_001]);
    let ids = Snowflake::builder("default").store(url.as_str()).build().unwrap();
    assert!(ids.next().unwrap() < ids.next().unwrap());
}

#[test]
fn what_one_generator_wants_made_is_no_others_matter() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("ids.db").display());
    let orders = |tag: &str| Segment::builder(tag).store(url.as_str()).create().build().unwrap();
    assert_eq!(orders("orders").next().unwrap(), 1);
    let other = Snowflake::builder("default").store(url.as_str()).layout(Layout::JS53).create();
    let (other, bills) = (other.build().unwrap(), orders("bills"));
    assert_eq!(other.next().unwrap_err().code(), Code::LayoutMismatch);
    assert_eq!(bills.next().unwrap(), 1);
    assert!(Snowflake::builder("default").store(url.as_str()).build().unwrap().next().is_ok());
}

#[test]
fn an_id_of_the_next_range_is_at_hand() {
    let store = Store::memory().unwrap();
    let orders = || Segment::builder("orders").store(&store).step(10).max_step(10).build().unwrap();
    let (one, other) = (orders(), orders());
    assert_eq!((one.next().unwrap(), other.next().unwrap()), (1, 11));
    one.ready(10).unwrap();
    let drawn: Vec<_> = (0..10).map(|_| one.at_hand()).collect();
    assert_eq!(drawn, [2, 3, 4, 5, 6, 7, 8, 9, 10, 21].map(Some));
}

#[test]
fn a_store_that_is_dropped_leaves_nothing() {
    let memory = Memory::new(Clock::default()).unwrap();
    let hub = Arc::downgrade(&memory.hub().share());
    drop(memory);
    assert!(hub.upgrade().is_none());
}

/// Counts, but forgets who had which number.
struct Forgetful(Arc<AtomicU64>);

impl Transport for Forgetful {
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Error> {
        let Ask::Segment(ask) = ask else { return Err(Error::new(Code::NotEnabled, "numbers")) };
        // It is back at 1 after some.
        let start = 1 + self.0.fetch_add(1, Ordering::Relaxed) % 5 * 10;
        let (store, now) = (leafid::Token::new([7; 16]), leafid::StoreTime::new(1));
        let range = leafid::Range::new(start, start + 10);
        let SegmentAsk { request, tag, .. } = *ask;
        Ok(Grant::Segment(SegmentGrant {
            request,
            store,
            tag,
            range,
            step: 10,
            max_step: 10,
            remaining: 90,
            now,
        }))
    }

    fn release(&mut self, _: &Release) -> Result<(), Error> {
        Ok(())
    }
}

#[test]
fn a_store_of_ones_own_is_checked_by_the_cases_of_all_languages() {
    let memory = Store::memory().unwrap();
    let passed = conform(move || memory.connect(), "conform", "conform").unwrap();
    println!("a store in memory passed {} cases", passed.len());
    assert!(passed.len() >= 15, "{passed:?}");
    let count = Arc::default();
    let forgetful = move || Box::new(Forgetful(Arc::clone(&count))) as _;
    let wrong = conform(forgetful, "conform", "conform").unwrap_err();
    println!("{wrong}");
    assert!(wrong.to_string().contains("overlap: the same IDs twice"), "{wrong}");
}

/// A store whose releases wait for a word.
struct Slow {
    store: Box<dyn Transport>,
    begun: Sender<()>,
    goes_on: Arc<Mutex<Receiver<()>>>,
    is_released: Arc<AtomicBool>,
}

impl Transport for Slow {
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Error> {
        self.store.ask(ask)
    }

    fn release(&mut self, release: &Release) -> Result<(), Error> {
        self.begun.send(()).unwrap();
        self.goes_on.lock().unwrap().recv().unwrap();
        self.store.release(release)?;
        self.is_released.store(true, Ordering::SeqCst);
        Ok(())
    }
}

/// Also if something else happens to the generator meanwhile.
#[test]
fn closing_waits_until_the_window_is_given_back() {
    let (memory, is_released) = (Store::memory().unwrap(), Arc::new(AtomicBool::new(false)));
    let ((begun, begins), (go_on, goes_on)) = (channel(), channel());
    let (goes_on, done) = (Arc::new(Mutex::new(goes_on)), Arc::clone(&is_released));
    let connect = move || -> Box<dyn Transport> {
        let (store, begun) = (memory.connect(), begun.clone());
        let (goes_on, is_released) = (Arc::clone(&goes_on), Arc::clone(&done));
        Box::new(Slow { store, begun, goes_on, is_released })
    };
    let ids = Snowflake::builder("default").store(Store::custom("slow", connect)).build().unwrap();
    ids.next().unwrap();
    let other = ids.clone();
    thread::scope(|scope| {
        scope.spawn(move || {
            begins.recv().unwrap();
            for _ in 0..100 {
                other.forget().unwrap();
                thread::yield_now();
            }
            go_on.send(()).unwrap();
        });
        ids.close().unwrap();
        assert!(is_released.load(Ordering::SeqCst));
    });
}

#[test]
fn a_refusal_does_not_advise_what_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("none/ids.db").display());
    let orders = Segment::builder("orders").store(url).create().build().unwrap();
    let why = orders.next().unwrap_err();
    assert_eq!(why.code(), Code::StoreUnknown);
    assert!(!why.to_string().contains("create()"), "{why}");
}
