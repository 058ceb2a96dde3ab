//! State files: the bytes, and the verbs of a generator that keeps one, on both faces.

use leafid_core::{
    HostTime, Refusal, Release, Snowflake, StateFile, StatePlace, StateRecord, StateWrite, Unread,
};

use crate::shared::SharedSnowflake;

macro_rules! keeping {
    ($module:ident $whose:literal, $type:ty) => {
        mod $module {
            use super::*;

            verbs! {
                of $whose;
                keep(ids: &mut $type, found: &Option<StateRecord>, at: &[HostTime; 2])
                    -> Result<(), Refusal> { ids.keep(*found, at[0], at[1]) }
                leave(ids: &mut $type) -> () { ids.leave() }
                wants_write(ids: &$type, now: &HostTime) -> bool { ids.wants_write(*now) }
                write_at(ids: &$type) -> Option<HostTime> { ids.write_at() }
                write_from(ids: &$type) -> u64 { ids.write_from() }
                poll_write(ids: &mut $type, at: &[HostTime; 2]) -> Option<StateWrite> {
                    ids.poll_write(at[0], at[1])
                }
                written(ids: &mut $type, now: &HostTime) -> Option<Release> { ids.written(*now) }
                not_written(ids: &mut $type, now: &HostTime) -> bool { ids.not_written(*now) }
                is_voiding(ids: &$type) -> bool { ids.is_voiding() }
                give_up(ids: &mut $type) -> Option<Release> { ids.give_up() }
            }
        }
    };
}

keeping!(own "snowflake", Snowflake);
keeping!(shared "shared_snowflake", SharedSnowflake);

verbs! {
    state_new(place: &StatePlace) -> StateFile { StateFile::new(*place) }
    state_read(place: &StatePlace, bytes: &[u8; StateFile::BYTES])
        -> (StateFile, Result<Option<StateRecord>, Unread>) { StateFile::read(*place, bytes) }
    state_slot(file: &StateFile, write: &StateWrite) -> (usize, [u8; 512]) { file.slot(write) }
    state_written(file: &mut StateFile) -> () { file.written() }
}
