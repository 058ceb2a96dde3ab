//! Which state file is opened.

use std::path::Path;

use leafid_core::Code;

pub use crate::file::State;
pub use crate::folder::is_folder;
use crate::{Found, Problem, boot, folder};

impl State {
    /// Opens a state file, or makes it, and locks it; of a [folder](is_folder), one of this
    /// namespace's that nobody else has.
    ///
    /// # Errors
    /// `STATE_LOCKED` where another process has it: go on without, and tell. `STATE_INVALID` for
    /// what is no state file or cannot be written, `NOT_ENABLED` where there can be none: raise it.
    pub fn open(path: &Path, namespace: &str) -> Result<(State, Found), Problem> {
        let Some(boot) = boot::boot_id() else {
            let message = "this system does not tell when it was started \
                           (`/proc/sys/kernel/random/boot_id`), so there can be no state file: leave \
                           `state` out";
            return Err(Problem { code: Code::NotEnabled, message: message.to_owned() });
        };
        if is_folder(path) {
            return folder::open(path, namespace, boot);
        }
        State::open_file(path, boot)
    }
}
