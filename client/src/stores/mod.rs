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
#[derive(Clone, Debug)]
pub enum Make {
    /// A tag of this name.
    Tag(String),
    /// A namespace of this name, with this layout and these worker numbers if they are given.
    Namespace(String, Option<Layout>, Option<Range>),
}

/// Carries asks to a store, one after another.
pub trait Transport: Send {
    /// Carries an ask.
    ///
    /// # Errors
    /// The store's codes; `STORE_UNAVAILABLE` without an answer, `GRANT_INVALID` for an answer that is
    /// no grant.
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Error>;
    /// Carries a release, once.
    ///
    /// # Errors
    /// As [`Transport::ask`]. A holder can do nothing about them.
    fn release(&mut self, release: &Release) -> Result<(), Error>;
    /// Drops every connection without using it.
    fn reconnect(&mut self) {}
}
