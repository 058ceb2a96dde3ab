//! The content of a state file.

use leafid_core::StateRecord;

use crate::Problem;

/// The content of a state file when it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// No right.
    Nothing,
    /// The right that its last process left.
    Right(Box<StateRecord>),
    /// A content that gives no right, with the reason, which is to be logged. The file is empty now.
    Ignored(Problem),
}
