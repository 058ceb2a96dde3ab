//! The holder's state file, with which a process goes on after it was killed, without its store.
//!
//! Two slots of 512 bytes are written in turn, so that one of them is whole if a write is broken off.
//! Nothing here touches a file: the host reads and writes the bytes, which are the same in every host.

mod bytes;
mod file;
mod slot;

pub use file::{StateFile, StateWrite, Unread};

use crate::values::{Layout, Name, StoreTime, Token};

/// The right that a state file gives: a worker number, and its ticks from `reserved` to `end`.
///
/// It names the window that its holder spends. Nothing at or above `reserved` is used before a higher
/// one is written, so a process that reads it, and has locked the file, may go on there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateRecord {
    /// The namespace, which the worker number belongs to.
    pub namespace: Name,
    /// The store that granted it.
    pub store: Token,
    /// The worker number.
    pub worker: u32,
    /// The request id of its acquire, with which the window is renewed.
    pub key: Token,
    /// The layout.
    pub layout: Layout,
    /// The first tick that was not granted.
    pub end: u64,
    /// The first tick that was not used.
    pub reserved: u64,
    /// The store's time when the record is written or read.
    pub now: StoreTime,
}

/// Where a state file belongs: a file that was copied, or written before the machine's last boot, may
/// not be the only one, and gives no right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatePlace {
    /// The machine's id; zeros if it has none.
    pub machine: [u8; 16],
    /// The id of its last boot.
    pub boot: [u8; 16],
    /// The device of the file that the process has locked.
    pub device: u64,
    /// The inode number of that file.
    pub lock: u64,
}
