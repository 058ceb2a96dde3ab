//! What an operator sees of a server: what its stores hold, and the text of `/metrics`.

pub mod census;
pub mod exposition;
pub mod numbers;
pub mod rate;
