//! The wire's JSON, under the name that the server knows.

pub use leafid_wire::{Reader, Unique, Writer, shown};

use crate::problem::Problem;

/// What is wrong with a request is told as it is.
impl From<leafid_wire::Invalid> for Problem {
    fn from(invalid: leafid_wire::Invalid) -> Problem {
        Problem::new(invalid.code, invalid.detail)
    }
}
