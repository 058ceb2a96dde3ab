//! The central store of leafid: hands out disjoint ranges over HTTP. Also the program `leafid`.
//!
//! Imports go one way: `main → cli → http → routes → app`. `leafid_store` decides and stores;
//! `leafid_leaf` has what comes from Leaf.

// The fuzz targets share the harness of tests/http.
#[cfg(test)]
extern crate self as leafid_server;

mod access;
pub mod app;
pub mod cli;
#[cfg(test)]
#[path = "../fuzz/fuzzed.rs"]
mod fuzzed;
mod host;
pub mod http;
mod log;
pub mod routes;
mod seen;
mod toml_text;
