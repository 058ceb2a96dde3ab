//! The store of leafid without a server: ranges of numbers and windows of time in SQLite, PostgreSQL,
//! MySQL, etcd or ZooKeeper, leased so that no two holders ever have the same.
//!
//! `opening → registry → fence → backends`: arrows point to what is imported, and nothing imports
//! against them. Every decision is [`leafid_core::registry`]'s; [`registry`] asks for the rows, has it
//! decide, and writes; [`fence`] notices a store that went back; [`backends`] keep the rows.
//! [`dispense`] draws single IDs from what is leased.

pub mod backends;
pub mod clock;
pub mod dispense;
pub mod fence;
pub mod hex;
pub mod json;
pub mod meter;
pub mod opening;
pub mod problem;
pub mod random;
pub mod rate;
pub mod registry;
pub mod store;
pub mod utc;
