//! What a decision has written, and how that ended.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use leafid_core::registry::{TagRow, WorkerRow};
use leafid_core::{Name, StoreTime};

use crate::problem::Problem;
use crate::row::{Fenced, NamespaceRow, Seen};

/// Rows that are written together. Without a row as it was, nobody may have made it meanwhile.
pub type Group = Vec<Write>;

/// A part of a [`Group`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Nothing is written, and the namespace has to be as it was, `used_until` aside.
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
    /// A namespace. Every number that its next range has and the last had not, or the other way
    /// round, loses owner, sticky and key, as by an operator's release: others may use it outside.
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
    /// What the store says of its last fence.
    Fence {
        /// As it was read.
        before: Box<Seen<Fenced>>,
        /// As it is to be.
        after: Box<Fenced>,
    },
    /// The time is noted as one at which the store was used; no condition.
    Beat(StoreTime),
}

/// A worker number that is written.
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

/// How a group ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is written, durably: the new revision of each of its rows, in their order. Empty where
    /// rows are compared.
    Done(Vec<u64>),
    /// Nothing of it is written: a row was not as it had been read.
    Conflict,
    /// Nothing of it is written: somebody keeps a row locked. The database is well.
    Locked(Fault),
    /// It could not be written, or nobody knows whether it was.
    Failed(Fault),
}

/// A database could not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What it said, for a person.
    pub detail: String,
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Problem {
        Problem::unavailable(fault.detail)
    }
}

impl From<&Fault> for Problem {
    fn from(fault: &Fault) -> Problem {
        Problem::unavailable(fault.detail.as_str())
    }
}
