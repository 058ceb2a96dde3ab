#![doc = include_str!("../README.md")]

#[cfg(feature = "conform")]
pub mod conform;
#[doc(hidden)]
pub mod driver;
#[doc(hidden)]
pub mod host;
#[doc(hidden)]
pub mod log;
#[doc(hidden)]
pub mod stores;

mod builder;
mod error;
mod future;
mod generator;
mod id;
mod run;
mod segment;
mod snowflake;
mod store;

pub use builder::{Builder, DEFAULT_TIMEOUT};
pub use error::{Cause, Error};
pub use generator::{Generator, OfNamespace, OfTag, Stats};
pub use id::Id;
#[cfg(feature = "serde")]
pub use id::number;
#[doc(inline)]
pub use leafid_core::{
    AcquireAsk, Ask, Code, Grant, Layout, Name, Parts, Range, Refusal, Release, RenewAsk,
    SegmentAsk, SegmentGrant, StoreTime, Token, WindowGrant,
};
pub use run::{Ids, Local};
pub use segment::{Segment, SegmentBuilder};
pub use snowflake::{Snowflake, SnowflakeBuilder};
pub use store::Store;
#[cfg(feature = "http")]
pub use stores::Credentials;
pub use stores::Transport;

/// The programs of the project's page.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
