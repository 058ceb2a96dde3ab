//! The central store of leafid: one place that hands out disjoint ranges, over HTTP.
//!
//! `main → cli → app → routes → state → generators → keeper → store ← registry → backends`: arrows
//! point to what is imported, and nothing imports against them; `opening` joins the two ends. Every
//! decision is `leafid_core::registry`'s.

pub mod alarms;
pub mod app;
pub mod backends;
pub mod cli;
pub mod clock;
pub mod connection;
pub mod explain;
pub mod generators;
pub mod http;
pub mod json;
pub mod keeper;
pub mod log;
pub mod opening;
pub mod problem;
mod random;
pub mod registry;
pub mod routes;
pub mod state;
pub mod store;
pub mod utc;
pub mod watched;
