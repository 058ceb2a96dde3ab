//! What a request works with inside a transaction, and how it ends without an answer.

use leafid_core::{StoreTime, Token};

use super::Options;
use super::rows::Rows;
use crate::problem::Problem;

/// Why a request was not done.
#[derive(Debug)]
pub enum Stop {
    /// The decision was no. Nothing was written.
    Refused(Problem),
    /// The file failed: the whole transaction is rolled back.
    Broken(rusqlite::Error),
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Stop {
        Stop::Refused(problem)
    }
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Stop {
        Stop::Broken(error)
    }
}

/// What a request works with: the rows inside the transaction, and the time in it.
#[derive(Debug)]
pub struct Desk<'c> {
    /// The tables.
    pub rows: Rows<'c>,
    /// The store's id.
    pub store: Token,
    /// The registry's time.
    pub now: StoreTime,
    /// How the file was opened.
    pub options: Options,
}
