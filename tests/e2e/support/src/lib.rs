//! Runs a store and hosts as processes, and checks all their IDs exactly: the base of
//! `cargo xtask run` and the end-to-end tests.
//!
//! - [`mod@line`] parses the output of the host programs of `examples/stream`;
//! - [`checker`] checks it: every number once, every worker with one holder at a time, every generator
//!   ascending. It uses [`intervals`] and [`owned`], whose size does not grow with the IDs;
//! - [`stream`] runs hosts side by side and feeds the checker; [`hosts`] starts each host program;
//! - [`store`] starts, kills and ends a real server; a [`proxy`] lies between one and its clients;
//! - [`child`] is a child process that is never left behind.

#![expect(missing_docs, reason = "nobody but this project uses it: its names say most")]

pub mod checker;
pub mod child;
pub mod hosts;
pub mod intervals;
pub mod line;
pub mod owned;
pub mod port;
pub mod proxy;
pub mod store;
pub mod stream;
