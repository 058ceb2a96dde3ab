//! End-to-end tests of the real server and the installed packages under faults. Every test starts its
//! own store in its own folder, and prints its counts.
//!
//! `cargo xtask test --only e2e` builds and installs what they need; `setting` has the places where
//! they look for it.

mod host_kill;
mod readme;
mod setting;
mod store_kill;
