//! The operations of a key-value store for the registry: few, each with all its keys at once, so that each
//! is one round trip.

use std::collections::BTreeMap;
use std::future::Future;

use leafid_core::{Name, Refusal, StoreTime, Token};

use crate::backends::Abilities;
use crate::backends::far::Client;
use crate::backends::link::Broken;

/// A key-value store with revisions, conditions on them, and atomic groups. Examining it writes something
/// that is never read, to learn the store's own time.
///
/// # Errors
/// Every method tells how it failed.
pub trait Engine: Client {
    /// Its limits and abilities.
    const ABILITIES: Abilities;

    /// The time in its last answers, if it has a clock of its own.
    fn told(&mut self) -> Option<StoreTime>;

    /// Whether there is anything in the place for the store.
    fn occupied(&mut self) -> impl Future<Output = Result<bool, Broken>> + Send;

    /// Makes the store unless one exists, and tells whether it did.
    fn make(
        &mut self,
        store: Token,
        meta: &str,
        namespace: (Name, &str),
    ) -> impl Future<Output = Result<bool, Broken>> + Send;

    /// Reads keys, and the worker numbers of each namespace that were written since its mark. Sees every
    /// earlier write.
    fn survey(
        &mut self,
        keys: &[Key],
        spaces: &[(Name, Mark)],
    ) -> impl Future<Output = Result<(Vec<Option<Stored>>, Vec<Written>), Broken>> + Send;

    /// Reads the first entries of a folder after a name, in order.
    fn list(
        &mut self,
        folder: Folder,
        after: Option<Name>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<(Name, Stored)>, Broken>> + Send;

    /// Writes each group atomically, if the store is still this one.
    fn commit(
        &mut self,
        store: Identity,
        groups: &[Commit],
    ) -> impl Future<Output = Vec<Ended>> + Send;

    /// Where a key is, for messages.
    fn place(&self, key: &Key) -> String;
}

/// Tells a store from another one at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its random id.
    pub store: Token,
    /// The revision of [`Key::Meta`] that was found.
    pub meta: u64,
}

/// The keys of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// The store's row about itself.
    Meta,
    /// The time of its last use, which is written without a condition.
    Beat,
    /// The row of its last fence.
    Fence,
    /// A server, by its id as hex digits.
    Server(Name),
    /// A tag.
    Tag(Name),
    /// A namespace.
    Space(Name),
    /// A worker number.
    Worker(Name, u32),
}

/// A folder of keys with names.
#[derive(Clone, Copy, Debug)]
pub struct Folder {
    /// The name of the folder.
    pub path: &'static str,
    /// The key of a name in it.
    pub key: fn(Name) -> Key,
    /// Parses a name in it.
    pub name: fn(&str) -> Result<Name, Refusal>,
}

/// The folder of tags.
pub const TAGS: Folder = Folder { path: "tags", key: Key::Tag, name: Name::tag };
/// The folder of servers.
pub const SERVERS: Folder = Folder { path: "servers", key: Key::Server, name: Name::owner };
/// The folder of namespaces.
pub const SPACES: Folder = Folder { path: "namespaces", key: Key::Space, name: Name::namespace };

impl Key {
    /// The path of the key below a root; the engine gives that of a worker number.
    pub fn below(&self, root: &str, worker: impl FnOnce(&Name, u32) -> String) -> String {
        match self {
            Key::Meta => format!("{root}/meta"),
            Key::Beat => format!("{root}/beat"),
            Key::Fence => format!("{root}/fence"),
            Key::Server(id) => format!("{root}/servers/{id}"),
            Key::Tag(tag) => format!("{root}/tags/{tag}"),
            Key::Space(name) => format!("{root}/namespaces/{name}"),
            Key::Worker(name, number) => worker(name, *number),
        }
    }
}

/// A value and the revision of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The value.
    pub text: Vec<u8>,
    /// A number that changes with each write.
    pub revision: u64,
}

/// Up to which write the worker numbers of a namespace were read. Zeros are before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// A count that grows with each of these writes, for a condition that there was no other.
    pub count: u64,
    /// The engine's position.
    pub at: u64,
}

/// The worker numbers of a namespace that were written since a mark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The numbers with their values; the same number and value may come again.
    pub rows: Vec<(u32, Stored)>,
    /// Up to which write they were read.
    pub mark: Mark,
    /// Whether there are more after this mark.
    pub more: bool,
}

/// How many worker numbers share a bucket. Each write of a number is also noted in its bucket, and by that
/// an engine finds the numbers that were written since a mark.
pub const BUCKET: u32 = 256;

/// How many buckets are read at once, to keep each read short.
const TOGETHER: usize = 8;

/// Keeps the first buckets of those that were written, by the positions of their last writes. If others are
/// left, gives the position up to which all are kept.
pub fn oldest<T: Ord>(written: &mut Vec<(u64, T)>) -> Option<u64> {
    written.sort_unstable();
    let (last, _) = written.get(TOGETHER - 1).filter(|_| written.len() > TOGETHER)?;
    let last = *last;
    written.retain(|(at, _)| *at <= last);
    Some(last)
}

/// A group as keys and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// Keys that must still have these revisions.
    pub checks: Vec<(Key, u64)>,
    /// The keys to write.
    pub sets: Vec<Set>,
    /// Keys to delete, which must still have these revisions.
    pub deletes: Vec<(Key, u64)>,
    /// A namespace of which no worker number may have been written since this mark.
    pub guard: Option<(Name, Mark)>,
}

impl Commit {
    /// The buckets of the numbers that it writes, and whether each is known to have a number.
    pub fn buckets(&self) -> BTreeMap<(Name, u32), bool> {
        let mut buckets = BTreeMap::new();
        for set in &self.sets {
            if let Key::Worker(name, worker) = set.key {
                let has_rows = buckets.entry((name, worker / BUCKET)).or_insert(false);
                *has_rows |= set.before.is_some();
            }
        }
        buckets
    }
}

/// A key that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// The key.
    pub key: Key,
    /// The revision that the key must have; `None` if it must not exist.
    pub before: Option<u64>,
    /// The value.
    pub text: String,
}

/// How a group ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The group is written.
    Done {
        /// The new revision of each key.
        revisions: Vec<u64>,
        /// The marks of namespaces after it. A server that had read up to the write before has missed nothing.
        moved: Vec<(Name, Mark)>,
    },
    /// Nothing is written: a key has changed.
    Conflict,
    /// Nothing is written: the store is not the one that was opened.
    Gone,
    /// The write failed, or its outcome is unknown.
    Broken(Broken),
}
