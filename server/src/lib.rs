//! The central store of leafid: one place that hands out disjoint ranges, over HTTP.
//!
//! `main → cli → http → routes → app → dispense → store ← registry → fence → backends`: arrows point
//! to what is imported, and nothing imports against them; `opening` joins the two ends. What comes
//! from Leaf (`leaf`) stands beside `routes`. Every decision is `leafid_core::registry`'s.

pub mod access;
pub mod app;
pub mod backends;
pub mod cli;
pub mod clock;
pub mod dispense;
pub mod fence;
#[cfg(test)]
#[path = "../fuzz/fuzzed.rs"]
mod fuzzed;
mod hex;
pub mod http;
pub mod json;
pub mod leaf;
pub mod log;
pub mod meter;
pub mod opening;
pub mod problem;
mod random;
pub mod registry;
pub mod routes;
pub mod seen;
mod shallow;
pub mod store;
pub mod utc;
