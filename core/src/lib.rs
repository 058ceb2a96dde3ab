//! The core of leafid: unique 64-bit IDs from leased ranges.
//!
//! A store hands out disjoint ranges; a generator spends them. A [`Segment`] spends ranges of
//! numbers, a [`Snowflake`] ranges of a worker's time. Both are one state machine, [`Generator`]: a
//! line of positions, one operation that takes some, one mechanism for asking ahead. The store's
//! side is pure as well: [`registry`] turns a row and a request into a new row and an answer.
//!
//! Nothing here reads a clock, waits, allocates or panics. Time is an argument of one of two types:
//! [`HostTime`] is a reading of the host's clock, which only has to tick; [`StoreTime`] is the time
//! on the store's clock, which IDs contain. The host passes in seeds and entropy. When no ID can be
//! given, a [`Refusal`] tells why and until when.
//!
//! A host that can wait for its store needs no more than this; the two closures supply its clock
//! and its randomness:
//!
//! ```
//! use leafid_core::{
//!     Code, HostTime, MemoryStore, Segment, SegmentConfig, Stance, Store, refill,
//! };
//!
//! fn next(ids: &mut Segment, store: &mut impl Store, now: &mut HostTime) -> Result<u64, Code> {
//!     loop {
//!         // Also asks ahead, long before the numbers run out, and backs off after a failure.
//!         let _ = refill(ids, store, || *now, || [2; 16]);
//!         match ids.next(*now).map_err(|refusal| ids.stance(refusal, *now)) {
//!             Ok(id) => return Ok(id),
//!             Err(Stance::Raise(code)) => return Err(code),
//!             // Here a host sleeps, or awaits another thread's answer.
//!             Err(Stance::Wait(until)) => *now = until.unwrap_or(now.plus(1)),
//!         }
//!     }
//! }
//!
//! let mut store: MemoryStore = MemoryStore::new([1; 16]);
//! let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
//! let mut now = HostTime::new(0);
//! assert_eq!(next(&mut orders, &mut store, &mut now), Ok(1));
//! assert_eq!(next(&mut orders, &mut store, &mut now), Ok(2));
//! # Ok::<(), leafid_core::Refusal>(())
//! ```
//!
//! Where to begin:
//!
//! | you want to | look at |
//! |---|---|
//! | hand out IDs in a host | [`Segment`] or [`Snowflake`]; [`Generator`] has the verbs |
//! | ask a store by blocking calls | [`refill`] |
//! | ask a store by callbacks, promises, messages | [`Generator::poll`], [`Generator::handle`] |
//! | draw from many threads without a lock | [`SharedLine`] |
//! | survive a fork or a restored memory image | [`Generator::forget`], [`Carryover`] |
//! | survive a restart while the store is away (feature `state`) | [`Snowflake::keep`](Generator::keep), [`StateFile`] |
//! | write a store | [`Store`], [`registry`] |
//! | test without a store | [`MemoryStore`] |
//! | read IDs, or query them by time | [`Layout::decompose`], [`Layout::first_id`], [`Text`] |
//! | carry all of it as plain data (JSON, a dict), word error messages | the crate `leafid-wire` |
#![no_std]
// Readers start with the examples, so these contain nothing superfluous.
#![doc(test(attr(deny(unused))))]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::unreachable
    )
)]

#[cfg(test)]
extern crate std;

mod generator;
mod line;
mod protocol;
mod store;
mod values;

pub use generator::{
    Action, Clocks, Event, Generator, Kind, Outcome, Segment, SegmentConfig, SegmentIds, Segments,
    Snowflake, SnowflakeConfig, SnowflakeIds, Snowflakes, Stance, StepPolicy,
};
#[cfg(target_has_atomic = "64")]
pub use line::SharedLine;
pub use line::{Ids, Line, OwnLine, Run, Shape, Stop};
pub use protocol::{
    AcquireAsk, Ask, Carryover, Failure, Grant, Release, RenewAsk, SegmentAsk, SegmentGrant,
    StateFile, StatePlace, StateRecord, StateWrite, Unread, WindowAsk, WindowGrant, registry,
};
pub use store::{MemoryStore, Store, refill};
pub use values::{
    BASE32_LEN, Code, DECIMAL_LEN, HostTime, LINE_END, Layout, NAME_BYTES, Name, Offset, Parts,
    Range, Refusal, Stats, StoreTime, Text, Token,
};
