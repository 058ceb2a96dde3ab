//! State files: their bytes, and the verbs of a generator that keeps one, with both kinds of line.

use leafid_core::{
    HostTime, Refusal, Snowflake, StateFile, StatePlace, StateRecord, StateWrite, Unread,
};

use crate::shared::SharedSnowflake;

type Found = Option<StateRecord>;

verbs! {
    snowflake_keep(ids: &mut Snowflake, found: &Found, now: &HostTime) -> Result<(), Refusal> {
        ids.keep(*found, *now)
    }
    snowflake_leave(ids: &mut Snowflake) -> () { ids.leave() }
    shared_snowflake_keep(ids: &mut SharedSnowflake, found: &Found, now: &HostTime)
        -> Result<(), Refusal> { ids.keep(*found, *now) }
    shared_snowflake_leave(ids: &mut SharedSnowflake) -> () { ids.leave() }

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
