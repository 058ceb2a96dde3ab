//! The wire format of leafid: the messages between a holder and a store over HTTP, without the HTTP.
//!
//! It contains the fields of asks, grants and rows ([`Fields`]), and the HTTP status and message of each
//! code ([`http_status`], [`Sentence`]), without an allocator, for every host, whatever its objects
//! are. With the feature `json` the fields are read and written as JSON. Both ends use:
//!
//! - [`Writer`], which writes an object straight into a text;
//! - [`Reader`], which reads one: in a request every field must be known ([`Reader::all`]), in an
//!   answer unknown ones are ignored ([`Reader::known`]);
//! - [`path`], the paths of the API.
//!
//! A client also needs [`Call`], the path and body of an ask, and [`Answer`], which is read as a grant
//! or as a [`Problem`].
#![cfg_attr(not(feature = "json"), no_std)]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::unreachable
    )
)]

mod code;
mod fields;
#[cfg(feature = "json")]
mod json;
mod sentence;
pub mod strict;

pub use code::{advice, event, from_http, http_status};
pub use fields::{
    FieldForm, FieldReader, FieldSchema, FieldWriter, Fields, Object, Presence, need, put_ask,
    put_stats, segment_config, snowflake_config,
};
#[cfg(feature = "json")]
pub use json::{Answer, Call, LONGEST_ANSWER, Problem, Reader, Unique, Writer, path, shown, tree};
pub use sentence::{Sentence, Subject};
