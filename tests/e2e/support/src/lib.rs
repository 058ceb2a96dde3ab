//! What watches a stream of IDs: the store and the hosts as processes, and the exact check over all
//! of them. `cargo xtask run` and the end-to-end tests stand on it.
//!
//! - [`mod@line`] reads what the host programs of `examples/stream` write;
//! - [`checker`] judges it: every number once, every worker one holder at a time, every generator
//!   upwards. It stands on [`intervals`] and [`runs`], whose size does not grow with the IDs;
//! - [`stream`] runs hosts side by side and feeds the checker; [`hosts`] knows how each is started;
//! - [`store`] starts, kills and ends a real server, [`http`] asks it;
//! - [`child`] is a process that is never left behind.

#![expect(missing_docs, reason = "nobody but this project uses it: its names say most")]

pub mod checker;
pub mod child;
pub mod hosts;
pub mod http;
pub mod intervals;
pub mod line;
pub mod port;
pub mod runs;
pub mod store;
pub mod stream;
