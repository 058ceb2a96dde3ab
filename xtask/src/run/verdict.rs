//! What came of a run: IDs from everyone, enough grants, no duplicates, every window given back.

use leafid_stream::store::Store;
use leafid_stream::stream::{Host, Stream};

use super::display::grouped;
use super::{NAMESPACE, STEP};
use crate::Outcome;

/// Every host's figures; an error names what is not as it must be.
pub fn tell(stream: &Stream) -> Outcome {
    for host in stream.hosts() {
        println!(
            "  {:6} {:>9} numbers, {:>9} snowflake IDs, {:>4} leases, {} waits",
            host.name,
            grouped(host.segment.ids),
            grouped(host.snowflake.ids),
            grouped(host.segment.stats.grants + host.snowflake.stats.grants),
            host.segment.stats.waits + host.snowflake.stats.waits,
        );
    }
    let (checker, floor) = (&stream.checker, grants_floor(stream));
    println!(
        "  {} IDs, {} grants (at least {floor}), {} worker numbers, duplicates {}",
        grouped(stream.ids()),
        grouped(stream.grants()),
        checker.workers(),
        checker.duplicates(),
    );
    let mut wrong: Vec<String> = stream.hosts().iter().filter_map(complaint).collect();
    if checker.duplicates() > 0 {
        wrong.push(format!("{} duplicates", checker.duplicates()));
    }
    if checker.backwards() > 0 {
        wrong.push(format!("a generator went back {} times", checker.backwards()));
    }
    if stream.grants() < floor {
        wrong.push(format!("{} grants, fewer than {floor}", stream.grants()));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

/// A grant is of `STEP` numbers at most, so that many numbers took at least so many grants; and
/// every host has a window.
fn grants_floor(stream: &Stream) -> u64 {
    stream.checker.numbers() / STEP + stream.hosts().len() as u64
}

fn complaint(host: &Host) -> Option<String> {
    let name = &host.name;
    if host.segment.ids == 0 || host.snowflake.ids == 0 {
        return Some(format!("{name} gave no IDs of one kind"));
    }
    let refused = host.segment.refused.iter().chain(&host.snowflake.refused).next()?;
    let count = host.segment.refusals + host.snowflake.refusals;
    Some(format!("{name} was refused {count} times: {} {}", refused.code, refused.message))
}

/// Whether every window of the namespace was given back, as the store tells it.
///
/// # Errors
/// Workers that are still held, or fewer of them than IDs were drawn on.
pub fn windows_released(store: &Store, used: usize) -> Outcome<String> {
    let path = format!("/v1/workers/{NAMESPACE}");
    let list = store.get(&path)?;
    let rows = list["workers"].as_array().ok_or("no workers in the store's list")?;
    let held: Vec<_> = rows.iter().filter(|row| row["held"] != false).collect();
    if let Some(row) = held.first() {
        return Err(format!("{} windows were not given back: {row}", held.len()));
    }
    if rows.len() < used {
        return Err(format!("IDs of {used} workers, but only {} had a window", rows.len()));
    }
    Ok(format!("GET {path}: all windows of {} worker numbers were given back", rows.len()))
}
