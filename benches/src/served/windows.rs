//! Windows on worker numbers: the cost of acquiring and releasing one in a namespace where many numbers
//! have a row already.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use leafid_benches::client::Client;
use leafid_benches::rounds::Round;
use leafid_benches::server::Server;
use leafid_benches::{Outcome, cpu, side_by_side};
use leafid_core::{AcquireAsk, Ask, Name, Refusal, Release, Token, WindowGrant};
use leafid_stream::store::Store;
use leafid_wire::{Call, Fields};

/// The clients that acquire: fewer than the ten numbers of the smallest namespace.
pub const CLIENTS: usize = 4;
const FILLING: usize = 32;
const FIRST_WINDOW: Duration = Duration::from_secs(60);

struct Held {
    worker: u32,
    release: Call,
}

fn namespace(rows: u32) -> String {
    format!("rows-{rows}")
}

/// Creates a namespace with this many numbers, and acquires and releases a window on each.
pub fn fill(store: &Store, rows: u32) -> Outcome {
    let workers = format!("0..{rows}");
    let words =
        ["namespace", "create", &namespace(rows), "--layout", "edge", "--workers", &workers];
    store.operate(&words)?;
    let begin = Instant::now();
    let clients = FILLING.min(rows as usize);
    let share = |at: usize| rows as usize / clients + usize::from(at < rows as usize % clients);
    let held = side_by_side(0..clients, |at| {
        let mut client = Client::connect(store.address())?;
        // First windows last for a minute: afterwards numbers would repeat.
        let windows = (0..share(at)).take_while(|_| begin.elapsed() < FIRST_WINDOW);
        windows.map(|_| acquire(&mut client, rows)).collect::<Outcome<Vec<Held>>>()
    })?;
    let numbers: BTreeSet<u32> = held.iter().flatten().map(|held| held.worker).collect();
    if numbers.len() != rows as usize {
        let got = numbers.len();
        return Err(format!("{got} of {rows} numbers were acquired within a minute: not measured"));
    }
    side_by_side(held, |held| {
        let mut client = Client::connect(store.address())?;
        held.iter().try_for_each(|held| release(&mut client, held))
    })?;
    Ok(())
}

/// Acquires and releases for this long; times only the acquires.
pub fn round(server: &Server, rows: u32, length: Duration) -> Outcome<Round> {
    let (before, begin) = (cpu::time_of(server.process)?, Instant::now());
    let waits = side_by_side(0..CLIENTS, |_| {
        let mut client = Client::connect(server.address)?;
        let mut waits = Vec::new();
        while begin.elapsed() < length {
            let sent = Instant::now();
            let held = acquire(&mut client, rows)?;
            waits.push(sent.elapsed());
            release(&mut client, &held)?;
        }
        Ok(waits)
    })?;
    let (took, spent) = (begin.elapsed(), cpu::time_of(server.process)?);
    Ok(Round::of(waits.into_iter().flatten().collect(), took, spent.saturating_sub(before)))
}

fn acquire(client: &mut Client, rows: u32) -> Outcome<Held> {
    let words = |refusal: Refusal| refusal.to_string();
    let (space, request) = (Name::namespace(&namespace(rows)).map_err(words)?, request());
    let owner = format!("bench/{}", String::from_utf8_lossy(&request.to_hex()));
    let ask = AcquireAsk::new(space, request, Name::owner(&owner).map_err(words)?);
    let call = Call::ask(&Ask::Acquire(ask));
    client.post(&call.path, &call.body)?;
    let window = client.answer(WindowGrant::get)?;
    // Nothing of it was used, so the number is free again at once.
    let release = Call::release(&Release::new(space, &window));
    Ok(Held { worker: window.worker, release })
}

fn release(client: &mut Client, held: &Held) -> Outcome {
    client.post(&held.release.path, &held.release.body)
}

fn request() -> Token {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let run = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let count = NEXT.fetch_add(1, Ordering::Relaxed);
    Token::new((u128::from(run) << 64 | u128::from(count)).to_be_bytes())
}
