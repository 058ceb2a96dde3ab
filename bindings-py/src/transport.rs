//! How asks get to a store.

use leafid_core::{Ask, Code, Grant, Release};

use crate::errors::Failed;

/// How asks get to a store from a thread that knows no interpreter.
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

/// A failure of a store that answers something else than a grant.
pub fn no_grant(message: impl Into<String>) -> Failed {
    Failed::new(Code::GrantInvalid, message)
}
