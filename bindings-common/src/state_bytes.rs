//! Rights of a state file as bytes: generators are in one engine, and files in another, which Node loads for
//! them.

use leafid_core::{HostTime, StateFile, StatePlace, StateWrite};

/// The bytes are a slot of a file that was just made, which is nowhere.
const NOWHERE: StatePlace = StatePlace { machine: [0; 16], boot: [0; 16], device: 0, lock: 0 };
const ALWAYS: HostTime = HostTime::new(0);

/// A write of a state file as bytes.
pub fn to_bytes(write: &StateWrite) -> [u8; StateFile::BYTES / 2] {
    StateFile::new(NOWHERE).slot(write, ALWAYS).1
}

/// Reads what [`to_bytes`] wrote; any other bytes give no right.
pub fn from_bytes(bytes: &[u8]) -> StateWrite {
    let mut whole = [0; StateFile::BYTES];
    whole.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
    let (_, found) = StateFile::read(NOWHERE, ALWAYS, &whole);
    found.ok().flatten().map_or(StateWrite::Void, StateWrite::Record)
}
