//! Opens a state file.

use std::path::Path;

use leafid_core::Code;

pub use crate::file::State;
pub use crate::folder::is_folder;
use crate::{Found, Problem, boot, folder};

impl State {
    /// Opens or creates a state file, and locks it; in a [folder](is_folder), one of this namespace that is free.
    ///
    /// # Errors
    /// `STATE_LOCKED` if another process has it: go on without one, and log it. `STATE_INVALID` if it is not a
    /// state file or cannot be written, `NOT_ENABLED` on systems without state files: raise these.
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
