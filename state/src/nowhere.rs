//! Where there are no state files.

use std::path::Path;

use leafid_core::{Code, HostTime, StateRecord, StateWrite};

use crate::Problem;

/// What a state file says when it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing yet, or nothing any more.
    Nothing,
    /// The right that its last process left.
    Right(Box<StateRecord>),
    /// Something that gives no right, and why.
    Ignored(Problem),
}

/// A state file: never, here.
#[derive(Debug)]
pub enum State {}

impl State {
    /// Refuses.
    ///
    /// # Errors
    /// `NOT_ENABLED`.
    pub fn open(_: &Path, _: &str) -> Result<(State, Found), Problem> {
        let message = "there are state files on Linux only so far: leave `state` out".to_owned();
        Err(Problem { code: Code::NotEnabled, message })
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn refuse(self) -> Result<(State, Problem), Problem> {
        match self {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn write(&mut self, _: &StateWrite) -> Result<(), Problem> {
        match *self {}
    }
}

/// Never needed.
pub fn since_boot() -> HostTime {
    HostTime::new(0)
}

/// Never asked.
pub fn is_folder(_: &Path) -> bool {
    false
}
