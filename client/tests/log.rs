//! A log that asks the generator of whom it is told.

use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use leafid::{Segment, Stats};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber, subscriber};

static ORDERS: OnceLock<Segment> = OnceLock::new();

/// Passes on the generator's counters at each event.
struct Counters(Sender<Stats>);

impl Subscriber for Counters {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target().starts_with("leafid")
    }

    fn event(&self, _: &Event<'_>) {
        self.0.send(ORDERS.wait().stats().unwrap()).unwrap();
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn a_log_may_use_the_generator_that_it_is_told_of() {
    let (told, tells) = channel();
    subscriber::set_global_default(Counters(told)).unwrap();
    let orders = Segment::builder("orders").store("http://127.0.0.1:1").build().unwrap();
    thread::spawn(|| ORDERS.get_or_init(|| orders).next());
    let counters = tells.recv_timeout(Duration::from_secs(60)).expect("it waits for its own lock");
    assert_eq!(counters.failures, 1);
}
