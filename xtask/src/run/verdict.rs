//! The verdict on a run: IDs from all hosts, enough grants, no duplicates, every window given back.

use leafid_stream::store::{STEP, Store};
use leafid_stream::stream::{Host, Stream};

use super::display::grouped;
use crate::Outcome;

/// Prints every host's figures; the error names what is wrong.
pub fn tell(stream: &Stream) -> Outcome {
    for Host { name, segment, snowflake, .. } in stream.hosts() {
        let (numbers, ids) = (grouped(segment.ids), grouped(snowflake.ids));
        let (one, other) = (segment.stats, snowflake.stats);
        let (leases, waits) = (one.grants + other.grants, one.waits + other.waits);
        println!(
            "  {name:6} {numbers:>9} numbers, {ids:>9} snowflake IDs, {leases:>4} leases, {waits} waits"
        );
    }
    let checker = &stream.checker;
    // A grant has at most `STEP` numbers, and every host has a window.
    let floor = checker.numbers() / STEP + stream.hosts().len() as u64;
    let (ids, grants, workers) = (grouped(stream.ids()), stream.grants(), checker.workers());
    let (duplicates, backwards) = (checker.duplicates(), checker.backwards());
    println!(
        "  {ids} IDs, {grants} grants (at least {floor}), {workers} worker numbers, duplicates {duplicates}"
    );
    let mut wrong: Vec<String> = stream.hosts().iter().filter_map(complaint).collect();
    wrong.extend((duplicates > 0).then(|| format!("{duplicates} duplicates")));
    wrong.extend((backwards > 0).then(|| format!("a generator went back {backwards} times")));
    wrong.extend((grants < floor).then(|| format!("{grants} grants, fewer than {floor}")));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

fn complaint(host: &Host) -> Option<String> {
    let name = &host.name;
    if host.segment.ids == 0 || host.snowflake.ids == 0 {
        return Some(format!("{name} gave no IDs of one kind"));
    }
    let refused = host.refused()?;
    let count = host.segment.refusals + host.snowflake.refusals;
    Some(format!("{name} was refused {count} times: {} {}", refused.code, refused.message))
}

/// Checks in the store that every window of the namespace was given back.
///
/// # Errors
/// Worker numbers still held, or fewer than IDs were drawn on.
pub fn windows_released(store: &Store, used: usize) -> Outcome<String> {
    let (had, held) = store.workers()?;
    if held > 0 {
        return Err(format!("{held} windows of {had} were not given back"));
    }
    if had < used {
        return Err(format!("IDs of {used} workers, but only {had} had a window"));
    }
    Ok(format!("all windows of {had} worker numbers were given back"))
}
