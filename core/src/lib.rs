//! The core of leafid: unique 64-bit IDs from leased ranges.
//!
//! A store hands out disjoint ranges; a generator spends them. A [`Segment`] spends ranges of
//! numbers, a [`Snowflake`] ranges of a worker's time. Both are one machine, [`Reserve`]: a line
//! of positions, one operation that takes some, one mechanism for asking ahead. The store's side
//! is as pure: [`registry`] turns a row and a request into a new row and an answer.
//!
//! Nothing here reads a clock, waits, allocates or panics. Time is an argument ([`Millis`]);
//! randomness comes as seeds and entropy from the host; when no ID can be given, a [`Refusal`]
//! says why and until when.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(any(test, loom)),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::unreachable
    )
)]

#[cfg(any(test, loom, leafid_bugs))]
extern crate std;

/// Whether a seeded bug is on: never, but in builds that are made to find it.
#[cfg(any(loom, leafid_bugs))]
macro_rules! bug {
    ($name:ident) => {
        crate::bugs::on(crate::bugs::Bug::$name)
    };
}
#[cfg(not(any(loom, leafid_bugs)))]
macro_rules! bug {
    ($name:ident) => {
        false
    };
}

mod ask;
mod asking;
mod backoff;
#[cfg(any(loom, leafid_bugs))]
pub mod bugs;
mod carryover;
mod code;
mod config;
mod draw;
mod fields;
mod layout;
mod line;
mod memory;
#[cfg(all(test, loom))]
mod model;
mod name;
mod range;
pub mod registry;
mod reserve;
mod segment;
#[cfg(target_has_atomic = "64")]
mod shared;
mod snowflake;
mod source;
mod spread;
mod stats;
mod step;
mod store;
mod text;
mod time;
mod token;

pub use ask::{
    AcquireAsk, Ask, Failure, Grant, Release, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant,
};
pub use carryover::Carryover;
pub use code::{Code, Refusal};
pub use draw::Draw;
pub use fields::{Fields, Get, Put};
pub use layout::{Layout, Parts};
pub use line::{Line, OwnLine, Run, Shape, Stop};
pub use memory::MemoryStore;
pub use name::{NAME_BYTES, Name};
pub use range::{LINE_END, Range};
pub use reserve::{Outcome, Reserve};
pub use segment::{Numbers, Segment, SegmentConfig, TagSource};
#[cfg(target_has_atomic = "64")]
pub use shared::SharedLine;
pub use snowflake::{Snowflake, SnowflakeConfig, Stamp, WindowSource};
pub use source::Source;
pub use stats::Stats;
pub use step::StepPolicy;
pub use store::{Store, refill};
pub use text::{BASE32_LEN, DECIMAL_LEN, Text};
pub use time::Millis;
pub use token::Token;
