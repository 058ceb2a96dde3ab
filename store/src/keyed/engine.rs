//! What a key-value store has to do for the registry: few operations, each with all its keys at
//! once, so that each is one trip over the network.

use std::collections::BTreeMap;
use std::future::Future;

use leafid_core::{Name, Range, StoreTime, Token};

use crate::backends::Standing;
use crate::backends::far::Client;
use crate::backends::link::Broken;

/// How many worker numbers have their rows in one bucket.
pub const BUCKET: u32 = 256;

/// The bucket of a worker number.
pub fn bucket(worker: u32) -> u32 {
    worker / BUCKET
}

/// A key-value store: revisions, comparisons on them, and groups that are written whole or not at
/// all. Examining it writes something that nobody reads, so that its own time is known.
///
/// # Errors
/// Every verb says how it broke off.
pub trait Engine: Client {
    /// A turn takes up nothing more when it changes this many rows of one namespace.
    const WIDE: usize;
    /// How many requests look for rows at once; each may change two.
    const AT_ONCE: usize;
    /// A group sets at most this many keys.
    const WHOLE: usize;

    /// The time that its last answers told, if it has a clock of its own.
    fn told(&mut self) -> Option<StoreTime>;

    /// What it calls itself, and how far it has come, as of its last answers; without its fence.
    fn named(&self) -> Standing;

    /// Whether anything lies where the store is to be.
    fn occupied(&mut self) -> impl Future<Output = Result<bool, Broken>> + Send;

    /// Makes the store, unless one is there; whether it did.
    fn make(
        &mut self,
        store: Token,
        meta: &str,
        namespace: (Name, &str),
    ) -> impl Future<Output = Result<bool, Broken>> + Send;

    /// Reads keys, and which buckets of each namespace were touched since; nothing that was written
    /// before is missed.
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

    /// Reads the first entries of a folder after a name, in their order.
    fn list(
        &mut self,
        folder: Folder,
        after: Option<Name>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<(Name, Stored)>, Broken>> + Send;

    /// Has a later writing find out whether a row was written or made after this call.
    fn guard(&mut self, namespace: Name) -> impl Future<Output = Result<Marks, Broken>> + Send;

    /// Writes each group whole or not at all, if the store is still this one.
    fn commit(
        &mut self,
        store: Identity,
        groups: &[Commit],
        beat: Option<&str>,
    ) -> impl Future<Output = Vec<Ended>> + Send;

    /// Where a key lies, for a person.
    fn place(&self, key: &Key) -> String;
}

/// By what a store is told from another one at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its random id.
    pub store: Token,
    /// Which writing of [`Key::Meta`] was found.
    pub meta: u64,
}

/// What lies under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// What the store says of itself.
    Meta,
    /// When it was used last.
    Beat,
    /// What it says of its last fence.
    Fence,
    /// A tag.
    Tag(Name),
    /// A namespace.
    Space(Name),
    /// A worker number.
    Worker(Name, u32),
}

/// Keys that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    /// Tags.
    Tags,
    /// Namespaces.
    Spaces,
}

impl Folder {
    /// What it is called.
    pub fn path(self) -> &'static str {
        match self {
            Folder::Tags => "tags",
            Folder::Spaces => "namespaces",
        }
    }

    /// The key of a name in it.
    pub fn key(self, name: Name) -> Key {
        match self {
            Folder::Tags => Key::Tag(name),
            Folder::Spaces => Key::Space(name),
        }
    }

    /// A name in it, if it is one.
    pub fn name(self, text: &str) -> Option<Name> {
        match self {
            Folder::Tags => Name::tag(text).ok(),
            Folder::Spaces => Name::namespace(text).ok(),
        }
    }
}

impl Key {
    /// Where it lies, below a root; where numbers lie is the engine's.
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

/// A value, and which writing of its key it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The value.
    pub text: Vec<u8>,
    /// Another one after each writing.
    pub revision: u64,
}

/// Which touches of a namespace are known, without a bucket 0; or what a writing checks so that nothing was
/// written since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Of the namespace as a whole.
    pub root: u64,
    /// Of each bucket.
    pub buckets: BTreeMap<u32, u64>,
}

/// A group as keys and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// Keys that have to be as they were.
    pub checks: Vec<(Key, u64)>,
    /// What is written.
    pub sets: Vec<Set>,
    /// Buckets whose rows changed in a way that others have to notice.
    pub touches: Vec<Touch>,
    /// A namespace whose rows have to be as they were, and the numbers that this concerns: all of
    /// them, if none is named.
    pub guard: Option<(Name, Marks, Vec<Range>)>,
}

/// A key that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// The key.
    pub key: Key,
    /// The revision that it has to be at; none where the key may not be there.
    pub before: Option<u64>,
    /// The value.
    pub text: String,
}

/// A bucket that is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Its namespace.
    pub namespace: Name,
    /// Its number.
    pub bucket: u32,
    /// Whether it is the first time.
    pub first: bool,
}

/// How a group ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It is written.
    Done {
        /// The new revision of each key.
        revisions: Vec<u64>,
        /// What was touched.
        touched: Vec<Touched>,
    },
    /// Nothing of it is written: a key was not as it had been.
    Conflict,
    /// Nothing of it is written: the store is not the one that was opened.
    Gone,
    /// It was not written, or nobody knows whether it was.
    Broken(Broken),
}

/// A mark that moved; whoever knew it as it was before has missed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The namespace.
    pub namespace: Name,
    /// The bucket; none for the namespace as a whole.
    pub bucket: Option<u32>,
    /// The mark that it had.
    pub before: u64,
    /// The mark that it has.
    pub after: u64,
}
