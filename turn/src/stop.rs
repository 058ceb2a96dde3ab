//! The reasons why a request is not granted in this pass.

use crate::problem::Problem;

/// Why a request is not granted in this pass.
#[derive(Debug)]
pub enum Stop {
    /// It is refused; the rows that it changed all the same are written before the answer.
    Refused(Problem),
    /// It needs rows that are not read yet.
    Wanting,
    /// It has to see changes of this turn, so it is decided in the next one.
    Later,
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Stop {
        Stop::Refused(problem)
    }
}
