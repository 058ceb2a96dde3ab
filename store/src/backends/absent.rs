//! In place of the databases that are other programs, where this one was built without their clients.

use std::convert::Infallible;

use super::alone;
use crate::problem::Problem;

/// An address of one: there is none.
#[derive(Clone, Debug)]
pub struct Address {
    /// Where it is.
    pub place: String,
    never: Infallible,
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

/// The store at this address.
///
/// # Errors
/// None.
pub fn read<T>(address: &Address) -> Result<T, Problem> {
    match address.never {}
}
