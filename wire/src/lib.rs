//! The wire of leafid: what passes between a holder and a store over HTTP, without the HTTP.
//!
//! What the fields of asks, grants and rows are called, how each is written and read ([`Fields`]), and
//! what HTTP and people are told of a code ([`http_status`], [`Sentence`]), without an allocator: every
//! host speaks so, whatever its objects are. With the feature `json` they become JSON and come back. Both
//! ends use the same three things:
//!
//! - [`Writer`] writes an object straight into a text;
//! - [`Reader`] reads one: of a request every field must be known ([`Reader::all`]), of an answer
//!   unknown ones are ignored ([`Reader::known`]);
//! - [`path`] has the paths of the API.
//!
//! A client needs two more, whatever carries its requests: [`Call`] is the path and body of an ask,
//! [`Answer`] what came back, read as a grant or as the [`Problem`] that it is instead.
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
pub use json::{
    Answer, Call, Invalid, LONGEST_ANSWER, Problem, Reader, Unique, Writer, path, shown, tree,
};
pub use sentence::{Sentence, Subject};
