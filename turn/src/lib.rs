//! A turn of the registry without I/O: the rows that a decision reads, the decision, the writes, and the
//! messages of refusals.
//!
//! A store reads the wanted rows ([`want`]), has requests decided on them ([`rows`], [`segments`],
//! [`windows`], [`namespaces`]), and writes the outcome on condition that the rows have not changed
//! ([`write`](mod@write)). [`sql`] has the texts for each of these in SQL. Every store of leafid decides by this
//! crate, whatever its database and its language.
#![no_std]

extern crate alloc;

pub mod alone;
pub mod aside;
pub mod cache;
pub mod change;
pub mod clock;
pub mod declared;
pub mod explain;
pub mod groups;
pub mod guest;
pub mod journal;
mod namespace_rows;
pub mod namespaces;
pub mod problem;
pub mod register;
pub mod row;
pub mod rows;
pub mod segments;
pub mod sql;
pub mod stop;
pub mod utc;
pub mod want;
pub mod windows;
pub mod write;

use alloc::string::String;

use leafid_core::Token;

/// Whether this build knows of servers. Without them it refuses guests.
const SERVERS: bool = cfg!(feature = "servers");

/// A token as text: 32 hex digits.
pub fn hex(token: Token) -> String {
    String::from_utf8_lossy(&token.to_hex()).into_owned()
}
