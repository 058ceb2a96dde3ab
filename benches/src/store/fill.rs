//! Namespaces in which many numbers have a row already.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use leafid_stream::store::Store;

use crate::client::Client;
use crate::work::{Held, acquire, namespace, release};
use crate::{CLIENTS, Outcome, side_by_side};

/// How long a first window is, at most.
const FIRST_WINDOW: Duration = Duration::from_secs(60);

/// Makes a namespace of so many numbers, acquires a window on `rows` of them, and gives all back.
pub fn namespace_of(store: &Store, rows: u32, numbers: u32) -> Outcome {
    let workers = format!("0..{numbers}");
    let words =
        ["namespace", "create", &namespace(rows), "--layout", "edge", "--workers", &workers];
    store.operate(&words)?;
    let begin = Instant::now();
    let clients = CLIENTS.min(rows as usize);
    let share = |at: usize| rows as usize / clients + usize::from(at < rows as usize % clients);
    let held = side_by_side(clients, |at| {
        let mut client = Client::connect(store.address())?;
        // Windows are a minute long at first: later, numbers would come again.
        let windows = (0..share(at)).take_while(|_| begin.elapsed() < FIRST_WINDOW);
        windows.map(|_| acquire(&mut client, rows)).collect::<Outcome<Vec<Held>>>()
    })?;
    let numbers: BTreeSet<u32> = held.iter().flatten().map(|held| held.worker).collect();
    if numbers.len() != rows as usize {
        let got = numbers.len();
        return Err(format!("{got} of {rows} numbers were acquired within a minute: not measured"));
    }
    let held = &held;
    side_by_side(clients, |at| {
        let mut client = Client::connect(store.address())?;
        held[at].iter().try_for_each(|held| release(&mut client, held))
    })?;
    Ok(())
}
