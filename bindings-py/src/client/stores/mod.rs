//! How asks get to a store.

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

/// How asks get to a store, one after another.
pub trait Transport: Send {
    /// Carries an ask.
    ///
    /// # Errors
    /// The store's codes; `STORE_UNAVAILABLE` if nothing was answered, `GRANT_INVALID` if what was
    /// answered is no grant.
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Failed>;
    /// Carries a release; it is sent once, and what is answered changes nothing.
    fn release(&mut self, release: &Release);
    /// Forgets every connection.
    fn reconnect(&mut self);
}
