//! End to end: the real server, the installed packages, and faults. Every test starts its own store
//! in a folder of its own, and prints what it counted.
//!
//! `cargo xtask test --only e2e` builds and installs what they need; `setting` says where it is
//! looked for.

mod host_kill;
mod proxy;
mod readme;
mod restored;
mod setting;
mod state;
mod store_kill;
