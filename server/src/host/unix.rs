//! Linux and macOS.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File, Metadata};
use std::io::Result;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixDatagram;
use std::path::Path;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Completes at SIGTERM or SIGINT; once this was called, they no longer kill the process.
pub fn stop() -> Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Signals at which files are read again.
pub type Hangups = Signal;

pub fn hangups() -> Result<Hangups> {
    signal(SignalKind::hangup())
}

/// Makes a folder that only this user may use, and those above it, unless it is there.
pub fn make_private(folder: &Path) -> Result<()> {
    DirBuilder::new().mode(0o700).recursive(true).create(folder)
}

/// Refuses a file that others may read or write, except that its group may read it: files are mounted into containers
/// so.
pub fn guarded(file: &File) -> std::result::Result<(), String> {
    let mode = file.metadata().map_err(|error| error.to_string())?.permissions().mode() & 0o777;
    match mode & 0o037 {
        0 => Ok(()),
        _ => Err(format!("its mode is {mode:03o}, so that others can use it; run: chmod 600")),
    }
}

/// A number by which a file differs from one that replaces it.
pub fn inode(found: &Metadata) -> u64 {
    found.ino()
}

/// This machine's name.
pub fn machine() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Raises the limit of open files to this many, as far as that is allowed; gives the limit.
pub fn allow_files(wanted: u64) -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if let Some(now) = current.filter(|now| *now < wanted) {
        let most = maximum.map_or(wanted, |most| most.min(wanted));
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(most.max(now)), maximum });
    }
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Sends a line to a service manager's socket.
pub fn notify(place: &OsStr, line: &str) -> Result<usize> {
    let socket = UnixDatagram::unbound()?;
    // A full socket must not block a server.
    socket.set_nonblocking(true)?;
    #[cfg(target_os = "linux")]
    if let Some(name) = place.as_bytes().strip_prefix(b"@") {
        use std::os::linux::net::SocketAddrExt;
        use std::os::unix::net::SocketAddr;
        let address = SocketAddr::from_abstract_name(name)?;
        return socket.send_to_addr(line.as_bytes(), &address);
    }
    socket.send_to(line.as_bytes(), place)
}
