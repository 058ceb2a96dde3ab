//! The writes of a decision, and their outcomes.

use alloc::boxed::Box;
use alloc::vec::Vec;

use leafid_core::registry::{TagRow, WorkerRow};
use leafid_core::{Name, StoreTime};

use crate::problem::Problem;
use crate::register::Server;
use crate::row::{Fenced, NamespaceRow, Seen};

/// Rows that are written together or not at all. `before: None` means that the row must not exist.
pub type Group = Vec<Write>;

/// A write of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// A condition alone: the namespace must be as it was, `used_until` aside.
    Same(Name, Seen<NamespaceRow>),
    /// A tag.
    Tag {
        /// Its name.
        tag: Name,
        /// As it was read.
        before: Option<Seen<TagRow>>,
        /// As it is to be.
        after: TagRow,
    },
    /// A namespace. Every number that enters or leaves its range loses owner, sticky and key, as by an
    /// operator's release: it may be in use outside.
    Namespace {
        /// Its name.
        namespace: Name,
        /// As it was read.
        before: Option<Seen<NamespaceRow>>,
        /// As it is to be.
        after: NamespaceRow,
    },
    /// A worker number.
    Worker(Box<WorkerWrite>),
    /// A server's record in the register.
    Server(Box<ServerWrite>),
    /// The store's last fence.
    Fence {
        /// As it was read.
        before: Box<Seen<Fenced>>,
        /// As it is to be.
        after: Box<Fenced>,
    },
    /// Notes the time as one at which the store was in use; no condition.
    Beat(StoreTime),
}

/// A write of a worker number's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerWrite {
    /// Its namespace.
    pub namespace: Name,
    /// The number.
    pub worker: u32,
    /// As it was read.
    pub before: Option<Seen<WorkerRow>>,
    /// As it is to be.
    pub after: WorkerRow,
}

/// A write of a server's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerWrite {
    /// As it was read.
    pub before: Option<Server>,
    /// As it is to be, its revision aside; `None` deletes it.
    pub after: Option<Server>,
}

/// The outcome of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is written, durably: the new revision of each row, in their order; empty where writes compare rows
    /// instead.
    Done(Vec<u64>),
    /// Nothing is written: a row was not as it had been read.
    Conflict,
    /// Nothing is written: another transaction keeps a row locked. The database itself is well.
    Locked(Problem),
    /// It could not be written, or it is unknown whether it was.
    Failed(Problem),
}
