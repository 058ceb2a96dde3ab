//! In place of the databases that are other programs, where this one was built without their clients.

use super::alone;
use crate::problem::Problem;

/// An address of one: there is none.
#[derive(Clone, Debug)]
pub struct Address {
    /// Where it is.
    pub place: String,
}

impl Address {
    /// Reads no URL.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, always.
    pub fn parse(_: &str) -> Result<Address, Problem> {
        Err(alone())
    }
}

/// Reads nothing: the clients of databases are not built in.
///
/// # Errors
/// `REQUEST_INVALID`, always.
pub async fn read<A, T>(_: &A) -> Result<T, Problem> {
    Err(alone())
}
