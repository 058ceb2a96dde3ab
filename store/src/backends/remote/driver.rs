//! What a client crate has to do for a database to be a back end.

use std::future::Future;
use std::time::Duration;

use super::about::About;
use super::rows::Row;
use crate::backends::sql::{Query, Step, Texts};
use crate::problem::Problem;

/// How long a connection may take to be made and looked at.
pub const CONNECTING: Duration = Duration::from_secs(3);
/// How long an exchange may take: the database gives up before, so that it is known what was done.
pub const EXCHANGE: Duration = Duration::from_secs(4);
/// How long a statement waits for a row that another session has locked, in ms.
pub const LOCKED_MS: u32 = 2_000;
/// How long a statement may take, in ms.
pub const STATEMENT_MS: u32 = 3_000;

/// Why an exchange failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// What the database or the client said: never a password.
    pub detail: String,
    /// What follows from it.
    pub kind: Breakage,
}

/// What follows from a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breakage {
    /// Nobody answers, or the connection broke: it may be better later, and nobody knows whether
    /// what was sent last was done.
    Lost,
    /// Another session was in the way, and all of the transaction was undone.
    Race,
    /// Another session kept a row locked for too long, and all of the transaction was undone; the
    /// connection goes on.
    Locked,
    /// The database refused, and all of the transaction was undone; the connection goes on.
    Refused,
    /// The database does not let us in: wrong name, password, database, or right.
    Denied,
    /// Whoever answers is not known to be the database, or wants to know more of us.
    Untrusted,
}

impl Breakage {
    /// Whether the next try may succeed although nobody does anything about it.
    pub(super) fn may_pass(self) -> bool {
        matches!(self, Breakage::Lost | Breakage::Race | Breakage::Locked)
    }
}

/// What a statement did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Did {
    /// How many rows it found or changed.
    pub rows: u64,
    /// The database's time, where the answer carries it.
    pub now_ms: Option<i64>,
}

/// By what a database is told from another one, and from an older state of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// What it calls itself, in one word; empty where it has no name.
    pub database: String,
    /// How far it has come, by a count that rises with what is written durably, and that what takes
    /// its place under the same name goes on from; 0 where there is none.
    pub position: u64,
}

/// How a transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It is one statement that stands for itself.
    Alone,
    /// It is committed, whatever the statements found.
    Committed,
    /// It stays open: what the statements found decides.
    Open,
}

/// A connection to a database.
///
/// # Errors
/// Every verb says how the exchange failed.
pub trait Driver: Sized + Send + Sync + 'static {
    /// Where the database is, and as whom it is used.
    type Address: Clone + Send + Sync + 'static;

    /// What it is called, for a person.
    const NAME: &'static str;
    /// For how many requests rows are looked for at once.
    const AT_ONCE: usize;
    /// So many queries are on their way together; an exchange has no more. One that has many, each
    /// sent when the one before is answered, would never end in time where the database is far away.
    const TOGETHER: usize;
    /// The texts for rows.
    const TEXTS: Texts;
    /// The texts about the store.
    const ABOUT: About;

    /// Connects, and sets what the session needs.
    fn connect(address: &Self::Address) -> impl Future<Output = Result<Self, Broken>> + Send;

    /// Looks at the server's version and settings; warns of what is let pass.
    fn examine(
        &mut self,
        allow_unsafe: bool,
    ) -> impl Future<Output = Result<Result<(), Problem>, Broken>> + Send;

    /// What the database calls itself, and how far it has come.
    fn named(&mut self) -> impl Future<Output = Result<Named, Broken>> + Send;

    /// Whether the connection is known to be gone.
    fn is_lost(&mut self) -> bool;

    /// Whether the other end still answers.
    fn ping(&mut self) -> impl Future<Output = Result<(), Broken>> + Send;

    /// Reads, together where the protocol can.
    fn read(
        &mut self,
        asked: &[Query],
    ) -> impl Future<Output = Result<Vec<Vec<Row>>, Broken>> + Send;

    /// Writes groups in one transaction. What the steps of each did is in their order; of a group
    /// whose condition did not hold the rest may be left out.
    fn write(
        &mut self,
        groups: &[&[Step]],
        ending: Ending,
    ) -> impl Future<Output = Result<Vec<Vec<Did>>, Broken>> + Send;

    /// Commits a transaction that stayed open.
    fn commit(&mut self) -> impl Future<Output = Result<(), Broken>> + Send;

    /// Undoes a transaction that stayed open; does nothing without one.
    fn rollback(&mut self) -> impl Future<Output = Result<(), Broken>> + Send;

    /// Begins a transaction that nobody else's making of a store overlaps.
    fn begin_making(&mut self) -> impl Future<Output = Result<(), Broken>> + Send;

    /// Runs statements without parameters.
    fn script(&mut self, sql: &str) -> impl Future<Output = Result<(), Broken>> + Send;
}
