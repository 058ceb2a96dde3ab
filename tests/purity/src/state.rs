//! State files: their bytes, and the verbs of a generator that keeps one, with both kinds of line.

use leafid_core::{
    HostTime, Refusal, Snowflake, StateFile, StatePlace, StateRecord, StateWrite, Unread,
};

use crate::shared::SharedSnowflake;

macro_rules! keeping {
    ($module:ident $whose:literal, $type:ty) => {
        mod $module {
            use super::*;

            verbs! {
                of $whose;
                keep(ids: &mut $type, found: &Option<StateRecord>, now: &HostTime)
                    -> Result<(), Refusal> { ids.keep(*found, *now) }
                leave(ids: &mut $type) -> () { ids.leave() }
            }
        }
    };
}

keeping!(own "snowflake", Snowflake);
keeping!(shared "shared_snowflake", SharedSnowflake);

verbs! {
    state_new(place: &StatePlace) -> StateFile { StateFile::new(*place) }
    state_read(place: &StatePlace, since_boot: &HostTime, bytes: &[u8; StateFile::BYTES])
        -> (StateFile, Result<Option<StateRecord>, Unread>) {
        StateFile::read(*place, *since_boot, bytes)
    }
    state_slot(file: &StateFile, write: &StateWrite, since_boot: &HostTime) -> (usize, [u8; 512]) {
        file.slot(write, *since_boot)
    }
    state_written(file: &mut StateFile) -> () { file.written() }
}
