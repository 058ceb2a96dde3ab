//! A turn of the registry without I/O: which rows a decision wants, what is decided on them, what is to
//! be written, and in which words a request is refused.
//!
//! A store reads what is wanted ([`want`]), has requests decided on the rows ([`rows`], [`segments`],
//! [`windows`], [`namespaces`]), and writes what comes of it on condition that what was read is still so
//! ([`write`](mod@write)). For databases that speak SQL, [`sql`] says by which text each of these is done. Every
//! store of leafid decides by this crate, whatever its database and its language.
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
mod namespace_rows;
pub mod namespaces;
pub mod problem;
pub mod row;
pub mod rows;
pub mod segments;
pub mod sql;
pub mod stop;
pub mod time;
pub mod utc;
pub mod want;
pub mod windows;
pub mod write;

use alloc::string::String;

use leafid_core::Token;

/// A token as it is written: 32 hex digits.
pub fn hex(token: Token) -> String {
    String::from_utf8_lossy(&token.to_hex()).into_owned()
}
