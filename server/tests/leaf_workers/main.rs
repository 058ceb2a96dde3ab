//! Leaf's worker numbers, in a real ZooKeeper and a real MariaDB as Leaf writes them, and what leafid
//! makes of them.
#![cfg(unix)]

mod leaf;
mod over;
mod page;
mod serve;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../command/support.rs"]
mod support;
mod verb;
