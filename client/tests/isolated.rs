//! A test of a user's: its store takes the place of all others, while other threads of the program draw.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use leafid::stores::Memory;
use leafid::{Error, Segment, driver};

const SWITCHES: u32 = 400;

#[test]
fn threads_draw_on_while_a_test_begins_and_ends() {
    let orders = Segment::builder("orders").store("memory:real").step(50).max_step(50);
    let orders = orders.timeout(Duration::from_secs(90)).build().unwrap();
    let (drawn, over) = (AtomicU64::new(0), AtomicBool::new(false));
    let draw = || {
        while !over.load(Ordering::Relaxed) {
            orders.next()?;
            drawn.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    let ended: Result<(), Error> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(draw)).collect();
        for turn in 0..SWITCHES {
            let test = (turn % 2 == 0).then(|| Memory::named("test").unwrap());
            driver::test(test.map(|store| store as _));
            // Each switch finds the generator in use.
            let before = drawn.load(Ordering::Relaxed);
            let is_one_over = || threads.iter().any(|thread| thread.is_finished());
            while drawn.load(Ordering::Relaxed) < before + 100 && !is_one_over() {
                thread::yield_now();
            }
        }
        over.store(true, Ordering::Relaxed);
        threads.into_iter().try_for_each(|thread| thread.join().unwrap())
    });
    println!("{} IDs over {SWITCHES} switches", drawn.load(Ordering::Relaxed));
    ended.expect("nobody closed the generator");
}
