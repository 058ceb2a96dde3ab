//! Sends children's output to the terminal, or to the file of the running part.

use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use crate::{Outcome, files};

/// The log file of one part.
#[derive(Clone)]
pub struct Log {
    file: Arc<File>,
    path: PathBuf,
}

thread_local! {
    static CURRENT: RefCell<Option<Log>> = const { RefCell::new(None) };
}

impl Log {
    /// Creates an empty log.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(path: PathBuf) -> Outcome<Log> {
        files::write(&path, "")?;
        // Appending, since this program and its children write to the same file.
        let file = File::options().append(true).open(&path);
        let file = file.map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
        Ok(Log { file: Arc::new(file), path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs a job whose processes write to this log.
    pub fn during<T>(&self, job: impl FnOnce() -> T) -> T {
        let before = CURRENT.replace(Some(self.clone()));
        let result = job();
        CURRENT.set(before);
        result
    }
}

/// The log of this thread's part, if any.
pub fn current() -> Option<Log> {
    CURRENT.with_borrow(Clone::clone)
}

/// Wraps a job for another thread, so that its children write to this thread's log.
pub fn handed_on<T>(job: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let log = current();
    move || match log {
        Some(log) => log.during(job),
        None => job(),
    }
}

/// Writes a line to the children's output.
pub fn line(text: &str) {
    match current() {
        // Other writes report a full disk.
        Some(log) => drop(writeln!(&*log.file, "{text}")),
        None => println!("{text}"),
    }
}

/// Standard output or error for a child: the current log, or inherited.
pub fn stdio() -> Stdio {
    let file = current().and_then(|log| log.file.try_clone().ok());
    file.map_or_else(Stdio::inherit, Stdio::from)
}
