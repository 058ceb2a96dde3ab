//! The operations of a key-value store for the registry: few, each with all its keys at once, so that each
//! is one round trip.

use std::collections::BTreeMap;
use std::future::Future;

use leafid_core::{Name, Range, StoreTime, Token};

use crate::backends::Standing;
use crate::backends::far::Client;
use crate::backends::link::Broken;

/// How many worker numbers share a bucket.
pub const BUCKET: u32 = 256;

/// The bucket of a worker number.
pub fn bucket(worker: u32) -> u32 {
    worker / BUCKET
}

/// A key-value store with revisions, conditions on them, and atomic groups. Examining it writes something
/// that is never read, to learn the store's own time.
///
/// # Errors
/// Every method tells how it failed.
pub trait Engine: Client {
    /// The changed rows of one namespace after which a turn takes up no more requests.
    const WIDE: usize;
    /// How many requests' rows are read at once; each may change two.
    const AT_ONCE: usize;
    /// The most keys that a group sets.
    const WHOLE: usize;

    /// The time in its last answers, if it has a clock of its own.
    fn told(&mut self) -> Option<StoreTime>;

    /// Its identifier and position, as of its last answers; not the fence.
    fn named(&self) -> Standing;

    /// Whether there is anything in the place for the store.
    fn occupied(&mut self) -> impl Future<Output = Result<bool, Broken>> + Send;

    /// Makes the store unless one exists, and tells whether it did.
    fn make(
        &mut self,
        store: Token,
        meta: &str,
        namespace: (Name, &str),
    ) -> impl Future<Output = Result<bool, Broken>> + Send;

    /// Reads keys, and the buckets of each namespace that were touched since its marks. Sees every earlier
    /// write.
    fn survey(
        &mut self,
        keys: &[Key],
        spaces: &[(Name, Marks)],
    ) -> impl Future<Output = Result<(Vec<Option<Stored>>, Vec<Marks>), Broken>> + Send;

    /// Reads all rows of buckets.
    fn buckets(
        &mut self,
        buckets: &[(Name, u32)],
    ) -> impl Future<Output = Result<Vec<(Name, u32, Stored)>, Broken>> + Send;

    /// Reads the first entries of a folder after a name, in order.
    fn list(
        &mut self,
        folder: Folder,
        after: Option<Name>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<(Name, Stored)>, Broken>> + Send;

    /// Reads the marks by which a later write checks that no row was written or made after this call.
    fn guard(&mut self, namespace: Name) -> impl Future<Output = Result<Marks, Broken>> + Send;

    /// Writes each group atomically, if the store is still this one.
    fn commit(
        &mut self,
        store: Identity,
        groups: &[Commit],
        beat: Option<&str>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The store's row about itself.
    Meta,
    /// The time of its last use.
    Beat,
    /// The row of its last fence.
    Fence,
    /// A tag.
    Tag(Name),
    /// A namespace.
    Space(Name),
    /// A worker number.
    Worker(Name, u32),
}

/// The folders of keys with names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    /// Tags.
    Tags,
    /// Namespaces.
    Spaces,
}

impl Folder {
    /// The name of the folder.
    pub fn path(self) -> &'static str {
        match self {
            Folder::Tags => "tags",
            Folder::Spaces => "namespaces",
        }
    }

    /// The key of a name in the folder.
    pub fn key(self, name: Name) -> Key {
        match self {
            Folder::Tags => Key::Tag(name),
            Folder::Spaces => Key::Space(name),
        }
    }

    /// Parses a name in the folder, if it is valid.
    pub fn name(self, text: &str) -> Option<Name> {
        match self {
            Folder::Tags => Name::tag(text).ok(),
            Folder::Spaces => Name::namespace(text).ok(),
        }
    }
}

impl Key {
    /// The path of the key below a root; the engine gives that of a worker number.
    pub fn below(&self, root: &str, worker: impl FnOnce(&Name, u32) -> String) -> String {
        match self {
            Key::Meta => format!("{root}/meta"),
            Key::Beat => format!("{root}/beat"),
            Key::Fence => format!("{root}/fence"),
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

/// Marks of a namespace: either the touches that a server knows (a missing bucket has 0), or what a write
/// checks so that nothing was written since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The mark of the namespace as a whole.
    pub root: u64,
    /// The mark of each bucket.
    pub buckets: BTreeMap<u32, u64>,
}

/// A group as keys and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// Keys that must still have these revisions.
    pub checks: Vec<(Key, u64)>,
    /// The keys to write.
    pub sets: Vec<Set>,
    /// Buckets with changes that other servers have to notice.
    pub touches: Vec<Touch>,
    /// A namespace, its marks, and the numbers with rows that must be unchanged: all if no range is given.
    pub guard: Option<(Name, Marks, Vec<Range>)>,
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

/// A touch of a bucket, which tells other servers to read it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Its namespace.
    pub namespace: Name,
    /// Its number.
    pub bucket: u32,
    /// Whether it is the bucket's first touch.
    pub first: bool,
}

/// How a group ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The group is written.
    Done {
        /// The new revision of each key.
        revisions: Vec<u64>,
        /// The marks that moved.
        touched: Vec<Touched>,
    },
    /// Nothing is written: a key has changed.
    Conflict,
    /// Nothing is written: the store is not the one that was opened.
    Gone,
    /// The write failed, or its outcome is unknown.
    Broken(Broken),
}

/// A mark that moved; a server that knew the mark before has missed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The namespace.
    pub namespace: Name,
    /// The bucket; `None` for the namespace as a whole.
    pub bucket: Option<u32>,
    /// The old mark.
    pub before: u64,
    /// The new mark.
    pub after: u64,
}
