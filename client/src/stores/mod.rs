//! The stores over HTTP and in memory, and what the driver needs of any store.

mod address;
#[cfg(feature = "http")]
mod credentials;
#[cfg(feature = "sqlite")]
mod database;
#[cfg(feature = "http")]
mod http;
mod memory;

pub use address::{shown, shown_name};
#[cfg(feature = "http")]
pub use credentials::Credentials;
#[cfg(feature = "sqlite")]
pub use database::Database;
#[cfg(feature = "http")]
pub use http::Http;
pub use memory::{Memory, Rows};

use std::sync::Arc;

use leafid_core::{Ask, Code, Grant, Layout, Range, Release};

use crate::Error;
use crate::driver::{Holding, Hub};
use crate::host::fork_cell::ForkCell;

/// A store, whose generators in one process share a thread and a connection.
pub trait Backend: Send + Sync {
    /// The hub of its generators in the process that used it last.
    fn hub(&self) -> &ForkCell<Hub>;
    /// A text that identifies the store; `None` for one in memory, since in tests several generators on it
    /// stand for several processes.
    fn place(&self) -> Option<String>;
    /// Has a tag or namespace made with the first ask, where it is missing.
    ///
    /// # Errors
    /// `REQUEST_INVALID` where only commands can do that, `WORKER_INVALID` where they choose the worker numbers.
    fn make(&self, make: Make) -> Result<(), Error> {
        let (kind, name) = match &make {
            Make::Tag(tag) => ("tag", tag),
            Make::Namespace(name, _, Some(Range { start, end })) => {
                let message = format!(
                    "`workers` is for stores in a file or a database; the range of this one is its \
                     operator's to set: leafid namespace set {name} --workers {start}..{end}"
                );
                return Err(Error::new(Code::WorkerInvalid, message));
            }
            Make::Namespace(name, ..) => ("namespace", name),
        };
        let message = format!(
            "`create` is for stores in a file or a database; in this one create it by command: leafid {kind} create \
             {name}"
        );
        Err(Error::new(Code::RequestInvalid, message))
    }
    /// Makes a connection to it.
    fn connect(self: Arc<Self>) -> Box<dyn Transport>;
    /// Drives the hub with a connection, in the thread of the hub.
    fn run(self: Arc<Self>, hub: &Hub) -> Arc<Holding> {
        hub.drive(&mut *self.connect())
    }
}

/// A tag or a namespace to be made where it is missing.
#[derive(Clone, Debug, PartialEq)]
pub enum Make {
    /// A tag of this name.
    Tag(String),
    /// A namespace of this name, with this layout and these worker numbers if they are given.
    Namespace(String, Option<Layout>, Option<Range>),
}

/// Carries asks to a store, one after another: for a store of one's own, and for what stands before one.
///
/// A generator sends an ask again, with the same request id, until an answer comes: the store must answer it as it did
/// the first time. `leafid::conform` (feature `conform`) checks that, and all else that a store must do.
///
/// ```
/// use leafid::{Ask, Error, Grant, Release, Segment, Store, Transport};
///
/// /// Tells each ask.
/// struct Told(Box<dyn Transport>);
///
/// impl Transport for Told {
///     fn ask(&mut self, ask: &Ask) -> Result<Grant, Error> {
///         println!("{ask:?}");
///         self.0.ask(ask)
///     }
///
///     fn release(&mut self, release: &Release) -> Result<(), Error> {
///         self.0.release(release)
///     }
/// }
///
/// let memory = Store::memory()?;
/// let store = Store::custom("told", move || Box::new(Told(memory.connect())));
/// let orders = Segment::builder("orders").store(&store).build()?;
/// assert_eq!(orders.next()?, 1);
/// # Ok::<(), leafid::Error>(())
/// ```
pub trait Transport: Send {
    /// Carries an ask.
    ///
    /// # Errors
    /// The store's codes; `STORE_UNAVAILABLE` without an answer, `GRANT_INVALID` for an answer that is
    /// no grant. A panic counts as no answer.
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Error>;
    /// Carries a release, once.
    ///
    /// # Errors
    /// As [`Transport::ask`]. A holder can do nothing about them.
    fn release(&mut self, release: &Release) -> Result<(), Error>;
    /// Drops every connection without using it: the other end of each belongs to another copy of this process.
    fn reconnect(&mut self) {}
}
