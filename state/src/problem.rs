//! Errors of state files.

use std::fmt;
#[cfg(target_os = "linux")]
use std::{io, path::Path};

use leafid_core::Code;

/// An error of a state file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// `STATE_LOCKED`, `STATE_INVALID` or `NOT_ENABLED`.
    pub code: Code,
    /// The event, and the advice.
    pub message: String,
}

impl Problem {
    /// The message of a failed write, with what the generator does now.
    pub fn abandoned(&self) -> String {
        format!("{self}; it is abandoned: IDs need the store until the process is restarted")
    }
}

#[cfg(target_os = "linux")]
impl Problem {
    /// The error of a file that cannot be a state file, because it `is` so.
    pub(crate) fn invalid(path: &Path, is: impl fmt::Display) -> Problem {
        let message = format!("the state file `{}` {is}", path.display());
        Problem { code: Code::StateInvalid, message }
    }

    pub(crate) fn of_folder(path: &Path, error: &io::Error) -> Problem {
        let cure = match error.kind() {
            io::ErrorKind::NotFound => ": make it first",
            io::ErrorKind::NotADirectory => ": it is a file, leave the `/` at its end out",
            io::ErrorKind::PermissionDenied => ": pass one that this process may read and write",
            _ => "",
        };
        let path = path.display();
        let message = format!("the folder `{path}` of state files cannot be read: {error}{cure}");
        Problem { code: Code::StateInvalid, message }
    }

    pub(crate) fn of(path: &Path, doing: &str, error: &io::Error) -> Problem {
        let cure = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                ": make room, or pass a path on another disk"
            }
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                ": pass a path that this process may write to"
            }
            io::ErrorKind::NotFound => ": make its folder first",
            _ => "",
        };
        Problem::invalid(path, format_args!("cannot be {doing}: {error}{cure}"))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}
