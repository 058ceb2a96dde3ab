//! Stores that need no Python, and the transport of asks to them.

mod address;
mod credentials;
mod http;
mod memory;

pub use address::{shown, shown_name};
pub use credentials::Credentials;
pub use http::Http;
pub use memory::{Memory, Rows};

use leafid_core::{Ask, Grant, Release};

use crate::client::Failed;

/// Carries asks to a store, one after another.
pub trait Transport: Send {
    /// Carries an ask.
    ///
    /// # Errors
    /// The store's codes; `STORE_UNAVAILABLE` without an answer, `GRANT_INVALID` for an answer that is
    /// no grant.
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Failed>;
    /// Carries a release, once; its answer changes nothing.
    fn release(&mut self, release: &Release);
    /// Drops every connection without using it.
    fn reconnect(&mut self);
}
