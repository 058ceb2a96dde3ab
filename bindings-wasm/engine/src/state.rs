//! Generators that keep a state file. The host has the file; what is in it crosses as bytes of
//! `leafid_bindings::state_bytes`.

use leafid_bindings::{AnyGenerator, Wrong, state_bytes};
use leafid_core::{Code, Event, StateWrite};
use leafid_wasm_border::{answer, parcel};

use crate::generators::entry;
use crate::host;

/// Has a snowflake generator keep a state file, and takes over the right in it, which is in the parcel.
/// Returns whether it is another generator's: then nothing was changed.
#[unsafe(no_mangle)]
pub extern "C" fn keep(handle: u32, now: f64) -> bool {
    let found = match state_bytes::from_bytes(&parcel()) {
        StateWrite::Record(record) => Some(record),
        StateWrite::Void => None,
    };
    let Some(mut entry) = entry(handle) else { return false };
    let AnyGenerator::Snowflake(ids, _) = &mut entry.generator else { return false };
    ids.keep(found, host(now)).is_err_and(|refusal| refusal.code == Code::StateInvalid)
}

/// Applies the outcome of the write that `poll` began: `{ outcome, release? }`, or the refusal.
#[unsafe(no_mangle)]
pub extern "C" fn settled(handle: u32, is_written: bool, now: f64) -> u32 {
    let event = if is_written { Event::Written } else { Event::NotWritten };
    let outcome = entry(handle).map(|mut entry| entry.generator.handle(event, host(now)));
    answer(outcome.unwrap_or(Err(Code::Closed.into())).map_err(Wrong::from))
}

/// As `retire`, and gives back what the file keeps; the release may come with the next write instead.
#[unsafe(export_name = "giveUp")]
pub extern "C" fn give_up(handle: u32) -> u32 {
    let release = entry(handle).and_then(|mut entry| entry.generator.give_up());
    release.map_or(0, |release| answer(Ok(release)))
}
