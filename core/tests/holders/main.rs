//! What a generator asks of its store, and how often, over minutes of simulated time: asks and
//! dropped positions are counted, and a count that cannot be had is refused rather than waited for.

mod asking;
mod ends;
mod resuming;
mod time;
mod windows;

use leafid_core::{Generator, HostTime, Kind, Line, Name, Refusal, Store, refill};

fn name(text: &str) -> Name {
    Name::tag(text).expect("the name is right")
}

/// Sixteen bytes that were not used before.
fn fresh(counter: &mut u64) -> [u8; 16] {
    *counter += 1;
    u128::from(*counter).to_be_bytes()
}

/// Carries an ask, if one is due: it leaves at `sent` and its answer comes at `now`.
fn carry<S: Kind, L: Line>(
    generator: &mut Generator<S, L>,
    store: &mut impl Store,
    (sent, now): (i64, i64),
    counter: &mut u64,
) -> Result<bool, Refusal> {
    let mut times = [sent, now].into_iter();
    let clock = || HostTime::new(times.next().unwrap_or(now));
    refill(generator, store, clock, || fresh(counter))
}
