//! Back ends: the databases that keep the rows of the server's store. A back end decides nothing and
//! words no refusal: it reads the rows that a decision needs, and writes rows if they have not changed
//! meanwhile. The [`Registry`](crate::registry::Registry) decides, retries and batches for all of them.

use std::future::Future;
use std::sync::Arc;

use leafid_core::{StoreTime, Token};
pub use leafid_turn::row::{Fenced, NamespaceRow, Seen};
pub use leafid_turn::want::{Answer, Want};
pub use leafid_turn::write::{Group, Outcome, ServerWrite, WorkerWrite, Write};

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
/// one [`write`](BackEnd::write). Rows that were read may change during the turn: each write contains
/// the rows that it was decided on.
///
/// # Errors
/// Every method gives a [`Problem`] when the database cannot do it now.
pub trait BackEnd: Send + 'static {
    /// The facts that stay true as long as the back end is open.
    fn facts(&self) -> &Facts;

    /// Begins a turn; waits here for another writer, before any request is taken up.
    fn begin(&mut self) -> impl Future<Output = Result<(), Problem>> + Send;

    /// Reads the wanted rows; the answers are in the order of the wants.
    fn read(&mut self, wants: &[Want])
    -> impl Future<Output = Result<Vec<Answer>, Problem>> + Send;

    /// Writes each group whole or not at all, independently of the others, if the rows that it was
    /// decided on are unchanged. The writes are durable when this returns; the outcomes are in the order
    /// of the groups. Ends the turn, even without a group.
    fn write(
        &mut self,
        groups: &[Group],
    ) -> impl Future<Output = Result<Vec<Outcome>, Problem>> + Send;

    /// The database's own time in its last answer, once, if it has a clock.
    fn told(&mut self) -> Option<StoreTime> {
        None
    }
}

/// The limits and abilities of a back end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// How many requests' rows are read at once: many where each read is a round trip, few where each
    /// row costs time in this process, so that a turn can end.
    pub at_once: usize,
    /// The changed rows of one namespace after which a turn takes up no more requests: they are written
    /// together, and some databases limit that.
    pub wide: usize,
    /// The most rows of a group that are written together, not counting its first.
    pub whole: usize,
    /// Whether another program runs the database: the thread is free during a read or write, and a
    /// replica may take over, perhaps without the last writes.
    pub is_remote: bool,
    /// Whether the row of a tag stays for good; another program may delete rows of its own table.
    pub keeps_tags: bool,
    /// Whether its rows have revisions, by which writes compare them.
    pub counts_revisions: bool,
}

impl Abilities {
    /// Those of a database in this process that takes any number of rows.
    pub const LOCAL: Abilities = Abilities {
        at_once: 1,
        wide: usize::MAX,
        whole: usize::MAX,
        is_remote: false,
        keeps_tags: true,
        counts_revisions: false,
    };
    /// Those of a database that another program runs, perhaps on another machine.
    pub const REMOTE: Abilities = Abilities { is_remote: true, ..Abilities::LOCAL };
}

/// Tells whether a database is still the one that was opened.
pub trait Watch: Send + Sync {
    /// Why nothing may be granted until a restart, even if the database comes back; logged once.
    fn gone(&self) -> Option<Problem>;
}

/// The facts that stay true as long as a back end is open.
#[derive(Clone)]
pub struct Facts {
    /// The random id that was made with the store.
    pub store: Token,
    /// Where the store is, for messages.
    pub place: String,
    /// The contents of the store when it was opened.
    pub found: opening::Found,
    /// Its clock.
    pub clock: clock::StoreClock,
    /// The check whether this is still the database that was opened, for use by any thread.
    pub watch: Arc<dyn Watch>,
    /// Its limits and abilities.
    pub abilities: Abilities,
}
