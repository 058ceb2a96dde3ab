//! Why a decision is not made yet, or is a refusal.

use crate::problem::Problem;

/// Why a decision is not there.
#[derive(Debug)]
pub enum Stop {
    /// The decision was no; what it changed all the same is written before that is answered.
    Refused(Problem),
    /// A row is wanted that is not at hand.
    Wanting,
    /// It has to see what others changed in this turn: its turn is the next.
    Later,
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Stop {
        Stop::Refused(problem)
    }
}
