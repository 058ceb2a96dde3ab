//! The stand-in for systems without state files.

use std::path::Path;

use leafid_core::{Code, StateWrite};

use crate::{Found, Problem};

/// A state file: never, here.
#[derive(Debug)]
pub enum State {}

impl State {
    /// Refuses.
    ///
    /// # Errors
    /// `NOT_ENABLED`.
    pub fn open(_: &Path, _: &str) -> Result<(State, Found), Problem> {
        let message = "state files exist on Linux only: leave `state` out".to_owned();
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

/// Never asked.
pub fn is_folder(_: &Path) -> bool {
    false
}

/// Journals of hosts: none, here.
pub mod journal {
    use std::path::{Path, PathBuf};

    use leafid_core::{Code, Token};

    use crate::Problem;

    /// Refuses.
    ///
    /// # Errors
    /// `NOT_ENABLED`.
    pub fn folder(_: &Path) -> Result<PathBuf, Problem> {
        let message = "journals of programs exist on Linux only: leave `journal` out".to_owned();
        Err(Problem { code: Code::NotEnabled, message })
    }

    /// Never called.
    ///
    /// # Errors
    /// As [`folder`].
    pub fn note(folder: &Path, _: Token, _: &str) -> Result<Option<String>, Problem> {
        self::folder(folder).map(|_| None)
    }
}
