//! What a state file says.

use leafid_core::StateRecord;

use crate::Problem;

/// What a state file says when it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing yet, or nothing any more.
    Nothing,
    /// The right that its last process left.
    Right(Box<StateRecord>),
    /// Something that gives no right, and why; it is to be told. The file is empty now.
    Ignored(Problem),
}
