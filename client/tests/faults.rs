//! What others do wrong, or let happen: stores that panic.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use leafid::{Ask, Error, Grant, Release, Segment, Store, Transport};

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
