//! What differs between operating systems: signals, permissions of files, the service manager. Both give the same
//! functions.

#[cfg_attr(windows, path = "host/windows.rs")]
#[cfg_attr(not(windows), path = "host/unix.rs")]
mod system;

pub use system::*;
