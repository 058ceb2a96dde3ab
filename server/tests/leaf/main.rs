//! Leaf's clients, table and settings as they are: what they are answered, and a Leaf that runs beside
//! this server on one table.
#![cfg(unix)]

mod admission;
mod answers;
mod client;
mod config;
mod ranges;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../command/support.rs"]
mod support;

/// What starts a database server of its own.
mod engines {
    mod beside;
    mod by_hand;
    mod config;
    mod outages;
    mod running;
    mod spelling;
    mod table;
}
