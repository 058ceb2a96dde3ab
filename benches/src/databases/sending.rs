//! Repeats a request over many connections at once.

use std::time::{Duration, Instant};

use leafid_benches::Outcome;
use tokio::runtime::Runtime;

/// One kind of work: `clients` at once for this long; returns how many were done.
pub type Work<'a> = Box<dyn FnMut(usize, Duration) -> Outcome<u64> + 'a>;

/// Makes work for up to this many clients of the database at this URL.
pub type Make = fn(&str, usize) -> Outcome<Work<'static>>;

/// Has each client repeat an operation for this long; returns how often it was done.
pub fn again<C, E: ToString>(
    runtime: &Runtime,
    clients: impl Iterator<Item = C>,
    length: Duration,
    send: impl AsyncFn(&mut C) -> Result<(), E>,
) -> Outcome<u64> {
    let until = Instant::now() + length;
    let works = clients.map(async |mut client| {
        let mut done = 0;
        while Instant::now() < until {
            send(&mut client).await?;
            done += 1;
        }
        Ok::<u64, E>(done)
    });
    let done = runtime.block_on(futures_util::future::try_join_all(works));
    done.map(|done| done.iter().sum()).map_err(|error| error.to_string())
}
