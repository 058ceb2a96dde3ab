//! Compatibility with Leaf: its clients, table, settings and worker numbers, and Leafs that run beside this
//! server.
#![cfg(unix)]

mod admission;
mod answers;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../conformance/asks.rs"]
mod asks;
mod client;
mod config;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../databases/opens.rs"]
mod opens;
mod page;
mod ranges;
mod serve;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../command/support.rs"]
mod support;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../conformance/troubled.rs"]
mod troubled;
mod verb;

mod engines {
    mod beside;
    mod by_hand;
    mod config;
    mod leaf;
    mod outages;
    mod page;
    mod running;
    mod serve;
    mod spelling;
    mod table;
    mod verb;
}
