//! Leaf's worker numbers, in files, in a real ZooKeeper and in a real MariaDB as Leaf writes them, and what leafid
//! makes of them.
#![cfg(unix)]

mod page;
mod serve;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../command/support.rs"]
mod support;
mod verb;

/// What starts a ZooKeeper or a database server of its own.
mod engines {
    mod leaf;
    mod over;
    mod page;
    mod serve;
    mod verb;
}
