//! A client of a leafid store without Python, the origin of a later client for Rust programs. No file
//! in this folder names PyO3, or anything outside of it (`cargo xtask check`).
//!
//! - [`driver`] carries a generator's asks to its store and lets callers wait for the answers;
//! - [`stores`] takes the asks there: over HTTP, or to this process's memory;
//! - [`log`] collects background events for the host's log;
//! - [`host`] wraps the operating system: clocks, randomness, detection of forks.
//!
//! Callers take turns: functions marked "one at a time" rely on it. In Python the interpreter lock
//! ensures that, and a thread that forks holds it, so that no child inherits a locked mutex.

pub mod driver;
pub mod host;
pub mod log;
pub mod stores;

mod failed;

pub use failed::{Cause, Failed};
