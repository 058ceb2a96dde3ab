//! Whether the file is still the one that was opened.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use leafid_core::Code;

use crate::backends::Watch;
use crate::problem::Problem;

/// A file, whatever it is called: its device, and its number on that.
type Identity = (u64, u64);

/// A file that was opened.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    opened: Option<Identity>,
    /// Why nothing is granted until a restart.
    gone: OnceLock<Problem>,
}

impl File {
    /// Of a file that was just opened.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if it is not there.
    pub fn of(path: &Path) -> Result<File, Problem> {
        let cannot = |error: std::io::Error| {
            Problem::unavailable(format!("cannot look at `{}`: {error}", path.display()))
        };
        // Another working folder would make it another path.
        let path = std::path::absolute(path).map_err(cannot)?;
        let opened = identity(&path).map_err(cannot)?;
        Ok(File { path, opened, gone: OnceLock::new() })
    }
}

impl Watch for File {
    fn gone(&self) -> Option<Problem> {
        if let Some(problem) = self.gone.get() {
            return Some(problem.clone());
        }
        let path = self.path.display();
        let what = match identity(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => "was removed or moved",
            Ok(found) if found != self.opened => "was replaced by another file",
            // Where it cannot be looked at, writing to it will tell.
            _ => return None,
        };
        let detail = format!(
            "`{path}` {what} while it was served, so what is granted now would be forgotten by a \
             restart; nothing is granted: stop this server, put the file back, and start again"
        );
        let problem = Problem::new(Code::StoreRefused, detail);
        let mut first = false;
        let problem = self.gone.get_or_init(|| {
            first = true;
            problem
        });
        if first {
            tracing::error!(code = %problem.code, "{}", problem.detail);
        }
        Some(problem.clone())
    }
}

/// Which file a path names.
fn identity(path: &Path) -> std::io::Result<Option<Identity>> {
    let metadata = std::fs::metadata(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Ok(Some((metadata.dev(), metadata.ino())))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        Ok(None)
    }
}
