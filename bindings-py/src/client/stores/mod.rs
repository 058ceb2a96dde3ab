//! The stores over HTTP and in memory, and what the driver needs of any store.

mod address;
mod credentials;
mod http;
mod memory;

pub use address::{shown, shown_name};
pub use credentials::Credentials;
pub use http::Http;
pub use memory::{Memory, Rows};

use std::sync::Arc;

use leafid_core::{Ask, Grant, Release};

use crate::client::Failed;
use crate::client::driver::{Holding, Hub};
use crate::client::host::fork_cell::ForkCell;

/// A store, whose generators in one process share a thread and a connection.
pub trait Store: Send + Sync {
    /// The hub of its generators in the process that used it last.
    fn hub(&self) -> &ForkCell<Hub>;
    /// A text that identifies the store; `None` for one in memory, since in tests several generators on it
    /// stand for several processes. One at a time.
    fn place(&self) -> Option<String>;
    /// Makes a connection to it.
    fn connect(self: Arc<Self>) -> Box<dyn Transport>;
    /// Drives the hub with a connection, in the thread of the hub.
    fn run(self: Arc<Self>, hub: &Hub) -> Arc<Holding> {
        hub.drive(&mut *self.connect())
    }
}

/// Carries asks to a store, one after another.
pub trait Transport: Send {
    /// Carries an ask.
    ///
    /// # Errors
    /// The store's codes; `STORE_UNAVAILABLE` without an answer, `GRANT_INVALID` for an answer that is
    /// no grant.
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Failed>;
    /// Carries a release, once.
    ///
    /// # Errors
    /// As [`Transport::ask`]. A holder can do nothing about them.
    fn release(&mut self, release: &Release) -> Result<(), Failed>;
    /// Drops every connection without using it.
    fn reconnect(&mut self) {}
}
