//! Why a request of a turn is not decided.

use crate::problem::Problem;

/// Why a request is not decided.
#[derive(Debug)]
pub enum Stop {
    /// The decision was no; what it changed all the same is written before that is answered.
    Refused(Problem),
    /// Rows are wanted that are not at hand.
    Wanting,
    /// It has to see what others changed in this turn: its turn is the next.
    Later,
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Stop {
        Stop::Refused(problem)
    }
}
