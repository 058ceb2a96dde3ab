//! What a running server counts beside its stores: requests, and its own process.

pub mod process;
pub mod requests;
