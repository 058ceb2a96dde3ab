//! The databases below the server's store. A back end decides nothing and words no refusal: it
//! reads the rows that a decision wants, and writes rows if nobody else did. What is decided, asked
//! again and joined is the [`Registry`](crate::registry::Registry)'s, once for all of them.

use std::future::Future;
use std::sync::Arc;

use leafid_core::{StoreTime, Token};
pub use leafid_turn::row::{Fenced, NamespaceRow, Seen};
pub use leafid_turn::want::{Answer, Want};
pub use leafid_turn::write::{Fault, Group, Outcome, WorkerWrite, Write};

use crate::problem::Problem;

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
pub mod sqlite;
#[cfg(any(feature = "sql", feature = "etcd"))]
pub(crate) mod tls;

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
    /// Whether it is another program's: the thread is free while a read or a write is under way, and a
    /// replica may take its place, perhaps without the last writings.
    pub is_remote: bool,
    /// Whether the row of a tag stays for good; another program may delete those of its own table.
    pub keeps_tags: bool,
    /// Whether it tells how far it has come, so that a loss is noticed.
    pub notices: bool,
}

impl Abilities {
    /// Those of a database that is another program's, perhaps on another machine.
    pub fn remote() -> Self {
        Self { is_remote: true, notices: true, ..Self::default() }
    }
}

impl Default for Abilities {
    fn default() -> Self {
        Self {
            at_once: 1,
            wide: usize::MAX,
            whole: usize::MAX,
            is_remote: false,
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
    /// The time when it was opened.
    pub now: StoreTime,
    /// What it held when it was opened.
    pub found: opening::Found,
}

/// What a reading gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The database's own time.
    pub now: StoreTime,
    /// The answers, in the order of what was wanted.
    pub answers: Vec<Answer>,
}

/// What a writing gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The database's own time.
    pub now: StoreTime,
    /// How each group ended, in their order.
    pub outcomes: Vec<Outcome>,
}
