//! The central store of leafid: one place that hands out disjoint ranges, over HTTP, and its program.
//!
//! `main → cli → http → routes → app`: arrows point to what is imported, and nothing imports against
//! them. What is stored and decided is `leafid_store`'s; what comes from Leaf is `leafid_leaf`'s.

// For the harness of tests/http, which the fuzz targets share.
#[cfg(test)]
extern crate self as leafid_server;

mod access;
pub mod app;
pub mod cli;
#[cfg(test)]
#[path = "../fuzz/fuzzed.rs"]
mod fuzzed;
pub mod http;
mod log;
pub mod routes;
mod seen;
mod shallow;
