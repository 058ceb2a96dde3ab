//! The wire's JSON, under the name that the server knows, and its refusals as the server's.

pub use leafid_wire::{Reader, Unique, Writer, shown};

use leafid_core::StoreTime;

use crate::problem::Problem;

impl From<leafid_wire::Invalid> for Problem {
    fn from(invalid: leafid_wire::Invalid) -> Problem {
        Problem::new(invalid.code, invalid.detail)
    }
}

impl From<leafid_wire::Problem> for Problem {
    fn from(said: leafid_wire::Problem) -> Problem {
        let (retry_after_ms, free_at) = (said.retry_after_ms, said.free_at_ms.map(StoreTime::new));
        Problem { retry_after_ms, free_at, ..Problem::new(said.code, said.detail) }
    }
}
