//! The holder's state file: what a process that was killed leaves to its next life, so that it goes
//! on without its store.
//!
//! Two slots of 512 bytes are written in turn, so that one of them is whole whenever a write is
//! broken off. Nothing here touches a file: a host reads and writes the bytes, which are the same
//! from every host.

mod bytes;
mod file;
mod slot;

pub use file::{StateFile, StateWrite, Unread};

use crate::values::{Layout, Name, StoreTime, Token};

/// The right that a state file gives: a worker number, and its ticks from `reserved` to `end`.
///
/// It names the window that its holder spends. Nothing at or above `reserved` was used when it was
/// written, nor is before something higher is written, so whoever reads it, and is alone with the
/// file, goes on there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateRecord {
    /// The namespace: another one has other workers.
    pub namespace: Name,
    /// The store that granted it.
    pub store: Token,
    /// The worker number.
    pub worker: u32,
    /// The request id of its acquire: with it the window is renewed.
    pub key: Token,
    /// The layout.
    pub layout: Layout,
    /// The first tick that was not granted.
    pub end: u64,
    /// The first tick that was not used.
    pub reserved: u64,
    /// The store's time now, when it is written or read.
    pub now: StoreTime,
}

/// Where a state file belongs: a file that was copied, or comes from before the machine was started
/// anew, may be one of two, and gives no right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatePlace {
    /// The machine's id; zeros where it has none.
    pub machine: [u8; 16],
    /// The id of its last start.
    pub boot: [u8; 16],
    /// The device …
    pub device: u64,
    /// … and the number there of the file that its process has locked.
    pub lock: u64,
}
