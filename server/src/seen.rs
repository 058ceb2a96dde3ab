//! What an operator sees of a server: what its stores hold, and what was asked of it.

pub mod census;
pub mod numbers;
pub mod rate;
pub mod requests;
