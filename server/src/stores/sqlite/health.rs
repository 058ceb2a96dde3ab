//! Whether grants can be written, and whether the file is still the one that was opened.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use leafid_core::Code;

use crate::log::Rate;
use crate::problem::Problem;

/// For so long a write tells how the next would end.
const RECENT: Duration = Duration::from_secs(1);

static FAILED: Rate = Rate::new();

/// A file, whatever it is called: its device, and its number on that.
type Identity = (u64, u64);

/// What the thread that writes notes, and whoever asks reads.
#[derive(Debug)]
pub struct Health {
    path: PathBuf,
    opened: Option<Identity>,
    /// Why nothing is granted until a restart.
    gone: OnceLock<Problem>,
    /// When something was written last, or failed to be.
    last: Mutex<Option<(Instant, Result<(), Problem>)>>,
}

impl Health {
    /// Of a file that was just opened.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if it is not there.
    pub fn of(path: &Path) -> Result<Health, Problem> {
        let cannot = |error: std::io::Error| {
            Problem::unavailable(format!("cannot look at `{}`: {error}", path.display()))
        };
        // Another working folder would make it another path.
        let path = std::path::absolute(path).map_err(cannot)?;
        let opened = identity(&path).map_err(cannot)?;
        Ok(Health { path, opened, gone: OnceLock::new(), last: Mutex::new(None) })
    }

    /// Why nothing may be granted any more: the path names no file now, or another. Said in the log
    /// once, and true until a restart, whatever comes back.
    pub fn gone(&self) -> Option<Problem> {
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

    /// How the last write ended, if that is not long ago.
    pub fn recent(&self) -> Option<Result<(), Problem>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, outcome) = last.as_ref()?;
        (at.elapsed() < RECENT).then(|| outcome.clone())
    }

    /// Notes how a transaction of so many requests ended, and whether it wrote anything.
    pub fn ended(&self, outcome: &Result<(), Problem>, wrote: bool, requests: usize) {
        if let Err(problem) = outcome
            && let Some(left_out) = FAILED.admit(problem.code)
        {
            let (code, detail) = (problem.code, &problem.detail);
            tracing::error!(%code, requests, left_out, "not committed: {detail}");
        }
        if outcome.is_ok() && !wrote {
            return;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last.replace((Instant::now(), outcome.clone()));
        drop(last);
        if let (Some((_, Err(_))), Ok(())) = (before, outcome) {
            tracing::info!("committed again");
        }
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
