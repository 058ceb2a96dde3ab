//! The databases below the server's store. A back end decides nothing and words no refusal: it
//! reads the rows that a decision wants, and writes rows if nobody else did. What is decided, asked
//! again and joined is the [`Registry`](crate::registry::Registry)'s, once for all of them.

use std::future::Future;
use std::sync::Arc;

use leafid_core::registry::{Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{Code, FieldReader, FieldWriter, Name, Range, Refusal, StoreTime, Token};

use crate::problem::Problem;
use crate::store::Page;

#[cfg(any(feature = "sql", feature = "etcd", feature = "zookeeper"))]
pub(crate) mod address;
pub mod clock;
pub mod far;
pub mod greatest;
pub mod link;
#[cfg(feature = "sql")]
pub mod mysql;
pub mod opening;
#[cfg(feature = "sql")]
pub mod postgres;
#[cfg(feature = "sql")]
pub mod remote;
pub(crate) mod sql;
pub mod sqlite;
#[cfg(any(feature = "sql", feature = "etcd"))]
pub(crate) mod tls;

#[cfg(not(feature = "sql"))]
pub use crate::absent::mysql;

/// A database that keeps a registry's rows.
///
/// A turn of the registry is [`begin`](BackEnd::begin), any number of [`read`](BackEnd::read)s, and
/// one [`write`](BackEnd::write). Nothing that was read in a turn has to stay as it was: whatever is
/// written says what it was decided on.
///
/// # Errors
/// Every verb gives a [`Fault`] when the database cannot do it now.
pub trait BackEnd: Send + 'static {
    /// What is true of it as long as it is open.
    fn facts(&self) -> Facts;

    /// Tells whether it is still the database that was opened; asked by other threads too.
    fn watch(&self) -> Arc<dyn Watch>;

    /// How it is to be used, and what it can tell.
    fn abilities(&self) -> Abilities;

    /// Begins a turn. What has to wait for another writer waits here, before anybody's request is
    /// taken up. Gives the database's own time where that needs no trip to it.
    fn begin(&mut self) -> impl Future<Output = Result<Option<StoreTime>, Fault>> + Send;

    /// Reads what is wanted; the answers are in the same order.
    fn read(&mut self, wants: &[Want]) -> impl Future<Output = Result<Read, Fault>> + Send;

    /// Writes each group whole or not at all, and each for itself, if the rows that it was decided
    /// on are as they were read. Durable when it answers; the outcomes are in the same order. Ends
    /// the turn, also where there is nothing to write.
    fn write(&mut self, groups: &[Group]) -> impl Future<Output = Result<Written, Fault>> + Send;

    /// Counts its connections: behind the same name an older state may stand on the next one.
    fn connection(&self) -> u64 {
        0
    }

    /// How far it has come; asked where a turn may begin to read, or after one.
    fn standing(&mut self) -> impl Future<Output = Result<Standing, Fault>> + Send {
        async { Ok(Standing::default()) }
    }
}

/// How a back end is to be used, and what it can tell. By default it is a database in this process
/// that takes any number of rows and does not tell how far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// For how many requests rows are looked for at once: as many as there are where each reading
    /// is a trip over a network, few where each row costs its time here, so that a turn can end.
    pub at_once: usize,
    /// A turn takes up no more requests when it changes this many rows of one namespace: they are
    /// written together, and some databases take only a number of them at once.
    pub wide: usize,
    /// At most this many rows of a group are written together, its first one aside.
    pub whole: usize,
    /// Whether the thread is free while a read or a write is under way, since another program does it.
    pub waits: bool,
    /// Whether a replica may take its place, perhaps without the last writings.
    pub is_followed: bool,
    /// Whether the row of a tag stays for good; another program may delete those of its own table.
    pub keeps_tags: bool,
    /// Whether it tells how far it has come, so that a loss is noticed.
    pub notices: bool,
}

impl Abilities {
    /// Those of a database that is another program's, perhaps on another machine.
    pub fn remote() -> Self {
        Self { waits: true, is_followed: true, notices: true, ..Self::default() }
    }
}

impl Default for Abilities {
    fn default() -> Self {
        Self {
            at_once: 1,
            wide: usize::MAX,
            whole: usize::MAX,
            waits: false,
            is_followed: false,
            keeps_tags: true,
            notices: false,
        }
    }
}

/// How far a database has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// What the store says of its last fence.
    pub fenced: Seen<Fenced>,
    /// What the database calls itself: one word, which another database has not; empty where it has
    /// none.
    pub database: String,
    /// How far it has come by its own count of writings that are durable; 0 where it has none, or
    /// one that another database need not go on from.
    pub position: u64,
}

/// What a store says of its last fence; all zero before the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fenced {
    /// How often it was fenced.
    pub generation: u64,
    /// When it was fenced last.
    pub at: StoreTime,
    /// Before when it grants no window, of namespaces that are made later, too; above 0, each tag
    /// that is made names its first number.
    pub floor: StoreTime,
    /// What the database called itself then.
    pub database: String,
}

impl Fenced {
    /// Reads it by the fields that every back end keeps it in.
    ///
    /// # Errors
    /// One is missing or none.
    pub fn get(from: &mut impl FieldReader) -> Result<Fenced, Refusal> {
        Ok(Fenced {
            generation: need(from.number("generation")?)?,
            at: StoreTime::new(need(from.millis("fenced_ms")?)?),
            floor: StoreTime::new(need(from.millis("floor_ms")?)?),
            database: need(from.text("fenced_on", str::to_owned)?)?,
        })
    }

    /// Writes those fields.
    pub fn put(&self, to: &mut impl FieldWriter) {
        to.number("generation", self.generation);
        to.millis("fenced_ms", self.at.get());
        to.millis("floor_ms", self.floor.get());
        to.text("fenced_on", &self.database);
    }
}

pub(crate) fn need<T>(value: Option<T>) -> Result<T, Refusal> {
    value.ok_or(Code::RequestInvalid.into())
}

/// Tells whether a database is still the one that was opened.
pub trait Watch: Send + Sync {
    /// Why nothing may be granted until a restart. Said in the log once, and true until a restart,
    /// whatever comes back.
    fn gone(&self) -> Option<Problem>;
}

/// What is true of a back end as long as it is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The random id that was made with the store.
    pub store: Token,
    /// Where it lies, for a person.
    pub place: String,
    /// Before when it grants no window, since it replaces a lost store; 0 if it does not.
    pub floor: StoreTime,
    /// The time when it was opened.
    pub now: StoreTime,
    /// What it held when it was opened.
    pub found: opening::Found,
}

/// A row as it was read or written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen<T> {
    /// The row.
    pub row: T,
    /// Which writing of the row it is, where the database counts them; 0 where rows are compared.
    pub revision: u64,
}

/// The row of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamespaceRow {
    /// What leases need of it.
    pub namespace: Namespace,
    /// Every number from the first of the range up to this one has a row. The first window of a
    /// namespace changes it, and so does every number that is handed out for the first time.
    pub used_until: u64,
}

/// What a decision wants to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// A tag, tombstones included: [`Answer::Tag`], [`Answer::Removed`].
    Tag(Name),
    /// A namespace: [`Answer::Namespace`].
    Namespace(Name),
    /// The row of a number, if it has one: [`Answer::Workers`].
    Worker(Name, u32),
    /// The row whose key is this request, if there is one: [`Answer::Workers`].
    Mine(Name, Token),
    /// Two rows at most that this owner keeps, those inside the range first: [`Answer::Workers`].
    Own(Name, Name),
    /// The lowest numbers from `from` on that have no row, up to the first at or above `end`:
    /// [`Answer::Unused`].
    Unused {
        /// The namespace.
        namespace: Name,
        /// The first number to look at.
        from: u64,
        /// The end of the range.
        end: u64,
        /// How many at most.
        count: usize,
    },
    /// The numbers inside the range that nobody keeps, those that rested longest first:
    /// [`Answer::Workers`].
    Rested(Name, usize),
    /// The kept numbers inside the range, those whose owners were not seen for longest first:
    /// [`Answer::Workers`].
    Kept(Name, usize),
    /// Of the numbers that are in `before` and not in `after`, the one that is reserved longest:
    /// [`Answer::Workers`].
    Leaving {
        /// The namespace.
        namespace: Name,
        /// Its range.
        before: Range,
        /// Its next range.
        after: Range,
    },
    /// What the store says of its last fence: [`Answer::Fenced`].
    Fenced,
    /// The names of all tags, deleted ones included, in their order: [`Answer::Names`].
    TagNames(Page<Name>),
    /// The names of all namespaces, in their order: [`Answer::Names`].
    NamespaceNames(Page<Name>),
    /// Tags that are not deleted, by name: [`Answer::Tags`].
    Tags(Page<Name>),
    /// Namespaces, by name: [`Answer::Namespaces`].
    Namespaces(Page<Name>),
    /// Numbers that have rows: [`Answer::Workers`].
    Workers(Name, Page<u32>),
}

/// What was found for a [`Want`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A tag.
    Tag(Option<Seen<TagRow>>),
    /// A tag that is deleted: its row is gone from another program's table, which may have moved it
    /// on beyond this position before.
    Removed(Seen<TagRow>),
    /// A namespace.
    Namespace(Option<Seen<NamespaceRow>>),
    /// Worker numbers and their rows.
    Workers(Vec<(u32, Seen<WorkerRow>)>),
    /// Numbers without rows.
    Unused(Vec<u64>),
    /// Tags.
    Tags(Vec<(Name, TagRow)>),
    /// Namespaces.
    Namespaces(Vec<(Name, Namespace)>),
    /// Names.
    Names(Vec<Name>),
    /// The last fence.
    Fenced(Seen<Fenced>),
    /// What is there cannot be read: whoever wants it is told, and nobody else.
    Unreadable(Problem),
}

impl Want {
    /// The namespace that it looks into.
    pub fn space(&self) -> Option<Name> {
        match *self {
            Want::Fenced
            | Want::TagNames(_)
            | Want::NamespaceNames(_)
            | Want::Tag(_)
            | Want::Tags(_)
            | Want::Namespaces(_) => None,
            Want::Namespace(name)
            | Want::Worker(name, _)
            | Want::Mine(name, _)
            | Want::Own(name, _)
            | Want::Unused { namespace: name, .. }
            | Want::Rested(name, _)
            | Want::Kept(name, _)
            | Want::Leaving { namespace: name, .. }
            | Want::Workers(name, _) => Some(name),
        }
    }
}

impl Answer {
    /// That nothing was found.
    pub fn none(want: &Want) -> Answer {
        match want {
            Want::Tag(_) => Answer::Tag(None),
            Want::Namespace(_) => Answer::Namespace(None),
            Want::Tags(_) => Answer::Tags(Vec::new()),
            Want::Namespaces(_) => Answer::Namespaces(Vec::new()),
            Want::Unused { .. } => Answer::Unused(Vec::new()),
            Want::TagNames(_) | Want::NamespaceNames(_) => Answer::Names(Vec::new()),
            Want::Fenced => Answer::Fenced(Seen::default()),
            _ => Answer::Workers(Vec::new()),
        }
    }

    /// The rows of numbers alone.
    pub fn workers(self) -> Vec<Worker> {
        match self {
            Answer::Workers(found) => found.into_iter().map(|(n, seen)| (n, seen.row)).collect(),
            _ => Vec::new(),
        }
    }
}

/// What a reading gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The database's own time.
    pub now: StoreTime,
    /// The answers, in the order of what was wanted.
    pub answers: Vec<Answer>,
}

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

/// What a writing gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The database's own time.
    pub now: StoreTime,
    /// How each group ended, in their order.
    pub outcomes: Vec<Outcome>,
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
