//! State files: the bytes, and the verbs of a generator that keeps one, on both faces.

use leafid_core::{
    HostTime, Refusal, Release, Snowflake, StateFile, StatePlace, StateRecord, StateWrite, Unread,
};

use crate::shared::SharedSnowflake;

macro_rules! keeping {
    ($type:ty; $keep:ident $leave:ident $wants:ident $at:ident $from:ident $poll:ident $written:ident
     $failed:ident $voiding:ident $give_up:ident) => {
        verbs! {
            $keep(ids: &mut $type, found: &Option<StateRecord>, at: &[HostTime; 2])
                -> Result<(), Refusal> { ids.keep(*found, at[0], at[1]) }
            $leave(ids: &mut $type) -> () { ids.leave() }
            $wants(ids: &$type, now: &HostTime) -> bool { ids.wants_write(*now) }
            $at(ids: &$type) -> Option<HostTime> { ids.write_at() }
            $from(ids: &$type) -> u64 { ids.write_from() }
            $poll(ids: &mut $type, at: &[HostTime; 2]) -> Option<StateWrite> {
                ids.poll_write(at[0], at[1])
            }
            $written(ids: &mut $type, now: &HostTime) -> Option<Release> { ids.written(*now) }
            $failed(ids: &mut $type, now: &HostTime) -> bool { ids.not_written(*now) }
            $voiding(ids: &$type) -> bool { ids.is_voiding() }
            $give_up(ids: &mut $type) -> Option<Release> { ids.give_up() }
        }
    };
}

keeping!(Snowflake; snowflake_keep snowflake_leave snowflake_wants_write snowflake_write_at
    snowflake_write_from snowflake_poll_write snowflake_written snowflake_not_written
    snowflake_is_voiding snowflake_give_up);

keeping!(SharedSnowflake; shared_snowflake_keep shared_snowflake_leave
    shared_snowflake_wants_write shared_snowflake_write_at shared_snowflake_write_from
    shared_snowflake_poll_write shared_snowflake_written shared_snowflake_not_written
    shared_snowflake_is_voiding shared_snowflake_give_up);

verbs! {
    state_new(place: &StatePlace) -> StateFile { StateFile::new(*place) }
    state_read(place: &StatePlace, bytes: &[u8; StateFile::BYTES])
        -> (StateFile, Result<Option<StateRecord>, Unread>) { StateFile::read(*place, bytes) }
    state_slot(file: &StateFile, write: &StateWrite) -> (usize, [u8; 512]) { file.slot(write) }
    state_written(file: &mut StateFile) -> () { file.written() }
}
