//! Windows, where a new file has its folder's permissions, and nothing asks a process to read its files again.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::future::pending;
use std::io::{ErrorKind, Result};
use std::path::Path;

use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};

/// Completes at Ctrl-C, when the console's window is closed, or when the machine shuts down.
pub fn stop() -> Result<impl Future<Output = ()>> {
    let (mut interrupt, mut ended) = (ctrl_c()?, ctrl_break()?);
    let (mut closed, mut shutdown) = (ctrl_close()?, ctrl_shutdown()?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = ended.recv() => {}
            _ = closed.recv() => {}
            _ = shutdown.recv() => {}
        }
    })
}

/// Windows has no signal at which files are read again.
pub struct Hangups;

pub fn hangups() -> Result<Hangups> {
    Ok(Hangups)
}

impl Hangups {
    pub async fn recv(&mut self) {
        pending().await
    }
}

pub fn make_private(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
}

pub fn guarded(_file: &File) -> std::result::Result<(), String> {
    Ok(())
}

/// The standard library does not tell it; a file that is replaced has another time or length.
pub fn inode(_found: &Metadata) -> u64 {
    0
}

pub fn machine() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// There is no such limit.
pub fn allow_files(_wanted: u64) -> u64 {
    u64::MAX
}

pub fn notify(_place: &OsStr, _line: &str) -> Result<usize> {
    Err(ErrorKind::Unsupported.into())
}
