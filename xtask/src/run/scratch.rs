//! A folder of this run's own, gone with it.

use std::path::{Path, PathBuf};

use crate::{Outcome, files};

/// A folder that is removed when it is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one where the system keeps what is temporary.
    pub fn make() -> Outcome<Scratch> {
        let folder = std::env::temp_dir().join(format!("leafid-run-{}", std::process::id()));
        files::make_dir(&folder)?;
        Ok(Scratch(folder))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = files::remove_dir(&self.0) {
            eprintln!("xtask: {error}");
        }
    }
}
