//! Observations for operators: the store's contents, and counters of requests.

pub mod census;
pub mod numbers;
pub mod rate;
pub mod requests;
