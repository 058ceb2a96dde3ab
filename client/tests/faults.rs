//! What others do wrong, or let happen: stores and wakers that panic, a task that ends with its last waker, a copied
//! memory.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

use leafid::{Ask, Code, Error, Grant, Release, Segment, Store, Transport};

/// How long something that never ends is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A store in memory whose connection panics at every second call.
struct Unsteady(Box<dyn Transport>, Arc<AtomicU64>);

fn every_second(count: &AtomicU64) {
    assert!(count.fetch_add(1, Ordering::SeqCst) % 2 == 1, "as the test wants");
}

impl Transport for Unsteady {
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Error> {
        every_second(&self.1);
        self.0.ask(ask)
    }

    fn release(&mut self, release: &Release) -> Result<(), Error> {
        self.0.release(release)
    }
}

#[test]
fn a_store_that_panics_is_connected_to_again() {
    let (memory, [connects, asks]) = (Store::memory().unwrap(), [(); 2].map(|()| Arc::default()));
    let store = Store::custom("unsteady", move || {
        every_second(&connects);
        Box::new(Unsteady(memory.connect(), Arc::clone(&asks)))
    });
    let build = |tag| Segment::builder(tag).store(&store).timeout(PATIENCE).build().unwrap();
    let (orders, others) = (build("orders"), build("others"));
    assert_eq!((orders.next().unwrap(), others.next().unwrap()), (1, 1));
    // It could not be connected to, its answer did not come, and the next connection failed, too.
    assert_eq!(orders.stats().unwrap().failures, 3);
}

/// A store that answers nothing while the test runs.
struct Silent;

impl Transport for Silent {
    fn ask(&mut self, _: &Ask) -> Result<Grant, Error> {
        loop {
            thread::park();
        }
    }

    fn release(&mut self, _: &Release) -> Result<(), Error> {
        Ok(())
    }
}

type Waiting = Pin<Box<dyn Future<Output = Result<i64, Error>> + Send>>;

/// A task, which is kept by its wakers alone.
struct Task(Mutex<Option<Waiting>>);

impl Wake for Task {
    fn wake(self: Arc<Self>) {}
}

/// With the waker of a moved or dropped future goes a task that waits for the same generator.
#[test]
fn the_last_waker_of_a_task_may_be_dropped_anywhere() {
    let store = Store::custom("silent", || Box::new(Silent));
    let orders = Segment::builder("orders").store(&store).timeout(PATIENCE).build().unwrap();
    let (done, ends) = channel();
    thread::spawn(move || {
        let mut elsewhere = Context::from_waker(Waker::noop());
        for moves in [true, false] {
            let wait = || -> Waiting { Box::pin(orders.next_async()) };
            let (mut first, mut second) = (wait(), wait());
            let task = Arc::new(Task(Mutex::default()));
            let waker = Waker::from(Arc::clone(&task));
            assert!(first.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            assert!(second.as_mut().poll(&mut elsewhere).is_pending());
            *task.0.lock().unwrap() = Some(second);
            drop((task, waker));
            if moves {
                assert!(first.as_mut().poll(&mut elsewhere).is_pending());
            }
        }
        done.send(()).unwrap();
    });
    assert!(ends.recv_timeout(PATIENCE).is_ok(), "it waits for its own lock");
}

/// A task that panics when it is woken.
struct Panics;

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        panic!("as the test wants");
    }
}

#[test]
fn a_waker_that_panics_costs_no_other_caller_its_answer() {
    let waker = Waker::from(Arc::new(Panics));
    let mut panics = Context::from_waker(&waker);
    let orders = Segment::builder("orders").store(Store::memory().unwrap()).step(1).max_step(1);
    let orders = orders.timeout(PATIENCE).build().unwrap();
    let mut first = Box::pin(orders.next_async());
    assert!(first.as_mut().poll(&mut panics).is_pending());
    let drawn: Vec<i64> = orders.iter().take(10).collect::<Result<_, _>>().unwrap();
    assert!(drawn.is_sorted_by(|one, other| one < other));
}

/// The first of two alarms goes to the task that panics.
#[test]
fn a_waker_that_panics_costs_no_other_task_its_alarm() {
    let store = Store::custom("silent", || Box::new(Silent));
    let build = |ms| {
        let orders = Segment::builder("orders").store(&store).timeout(Duration::from_millis(ms));
        orders.build().unwrap()
    };
    let waker = Waker::from(Arc::new(Panics));
    let mut panics = Context::from_waker(&waker);
    let first = build(20);
    // On a busy machine its time may be up before the first poll ends, which then sets no alarm.
    let _first = loop {
        let mut waits = Box::pin(first.next_async());
        if waits.as_mut().poll(&mut panics).is_pending() {
            break waits;
        }
    };
    let (done, ends) = channel();
    let second = build(50);
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        done.send(runtime.block_on(second.next_async())).unwrap();
    });
    let refused = ends.recv_timeout(PATIENCE).expect("its alarm is lost").unwrap_err();
    assert_eq!(refused.code(), Code::TimedOut);
}

#[test]
fn a_copy_of_the_memory_leaves_the_blocks_of_its_threads() {
    let orders = Segment::builder("orders").store(Store::memory().unwrap()).build().unwrap();
    orders.ready(100).unwrap();
    let mut own = orders.local(100);
    assert_eq!(own.next().unwrap(), 1);
    orders.forget().unwrap();
    // The original goes on with 2.
    assert_eq!(own.next().unwrap(), 1_001);
}
