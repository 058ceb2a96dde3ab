//! Watches that the file and its log are still those that were opened.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use leafid_core::Code;

use crate::backends::Watch;
use crate::backends::link::Gone;
use crate::problem::Problem;

/// A file's identity whatever its name: its device and its inode number.
type Identity = (u64, u64);

/// A file that was opened, and its log.
#[derive(Debug)]
pub struct File {
    file: Part,
    /// The log beside the real file, as SQLite resolves links. Once it exists, no other program
    /// removes it as long as the file is open.
    log: Part,
    /// Why nothing is granted until a restart.
    gone: Gone,
}

/// A path, with the identity of the file that was first seen there.
#[derive(Debug)]
struct Part {
    path: PathBuf,
    seen: OnceLock<Option<Identity>>,
}

impl File {
    /// Begins to watch a file that was just opened.
    pub fn of(path: &Path) -> Result<File, Problem> {
        let cannot = |error: std::io::Error| {
            Problem::unavailable(format!("cannot look at `{}`: {error}", path.display()))
        };
        let mut log = path.canonicalize().map_err(cannot)?.into_os_string();
        log.push("-wal");
        // Absolute, as the working folder may change.
        let path = std::path::absolute(path).map_err(cannot)?;
        let seen = OnceLock::from(identity(&path).map_err(cannot)?);
        let log = Part { path: log.into(), seen: OnceLock::new() };
        log.gone();
        Ok(File { file: Part { path, seen }, log, gone: Gone::default() })
    }

    /// Why nothing may be granted any more, and how to go on without losing a grant.
    fn look(&self) -> Option<Problem> {
        let (path, log) = (self.file.path.display(), self.log.path.display());
        let detail = match (self.file.gone(), self.log.gone()) {
            (Some(what), _) => format!(
                "`{path}` {what} while it is open, so what is granted now would be forgotten by a \
                 restart; nothing is granted: stop this server, then put that very file back if it \
                 was moved; a copy or a backup cannot take its place, since it would grant again \
                 what was granted after it was made; if the file is lost, move `{path}-wal` and \
                 `{path}-shm` away if they are there, and make a new store: leafid init \
                 --replaces-lost --store sqlite:{path}"
            ),
            (None, Some(what)) => format!(
                "`{log}` {what} while it is open, and it is a part of the store: a crash would \
                 forget what was granted last; nothing is granted: stop this server by SIGTERM or \
                 Ctrl-C, which writes the rest into `{path}`, and start it again; if it is killed \
                 instead, put that very log back if it was moved; a copy or a backup cannot take its \
                 place, since it would grant again what was granted after it was made; if the log is \
                 lost, move `{path}`, `{log}` and `{path}-shm` away, those that are there, and make \
                 a new store: leafid init --replaces-lost --store sqlite:{path}"
            ),
            (None, None) => return None,
        };
        Some(Problem::new(Code::StoreRefused, detail))
    }
}

impl Part {
    fn gone(&self) -> Option<&'static str> {
        match (identity(&self.path), self.seen.get()) {
            (Ok(found), None) => {
                let _ = self.seen.set(found);
                None
            }
            (Ok(found), Some(seen)) if found != *seen => Some("was replaced by another file"),
            (Err(error), Some(_)) if error.kind() == std::io::ErrorKind::NotFound => {
                Some("was removed or moved")
            }
            // If the file cannot be examined, the next write will fail.
            _ => None,
        }
    }
}

impl Watch for File {
    fn gone(&self) -> Option<Problem> {
        self.gone.gone().or_else(|| {
            self.gone.set(self.look()?);
            self.gone.gone()
        })
    }
}

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
