//! A client of a leafid store that knows no Python: what a client for Rust programs will be cut
//! from. No file below here names PyO3, or anything outside this folder (`cargo xtask check`).
//!
//! - [`driver`] carries a generator's asks to its store and lets callers wait for the answers;
//! - [`stores`] says how asks get there: over HTTP, or to this process's memory;
//! - [`log`] is what happens in the background, for the host to write down;
//! - [`host`] is what it needs of the operating system: clocks, randomness, the end of a fork.
//!
//! Callers take turns: functions that say "one at a time" rely on it. In Python the interpreter
//! lock sees to it, and a thread that forks has it, so that no child inherits a lock closed.

pub mod driver;
pub mod host;
pub mod log;
pub mod stores;

mod failed;

pub use failed::{Cause, Failed};
