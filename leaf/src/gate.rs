//! Who may ask at Leaf's listener, and for how many IDs: its clients can send no token that would tell.

use axum::http::request::Parts;
use leafid_store::problem::Problem;

/// What stands before Leaf's paths.
pub trait Gate: Send + Sync + 'static {
    /// Admits a request.
    ///
    /// # Errors
    /// `FORBIDDEN` for an address that may not ask, and for what may come from a web page.
    fn check(&self, head: &Parts) -> Result<(), Problem>;

    /// Counts an ID.
    ///
    /// # Errors
    /// `QUOTA_EXCEEDED`.
    fn count(&self) -> Result<(), Problem>;

    /// Takes back an ID that was counted and not given.
    fn give_back(&self);

    /// Counts and logs a refusal of one of its own.
    fn refused(&self, problem: &Problem, head: &Parts);
}

/// An ID that is counted; it is taken back when this is dropped.
pub struct Counted<'g>(Option<&'g dyn Gate>);

impl<'g> Counted<'g> {
    /// Counts one.
    ///
    /// # Errors
    /// As [`Gate::count`].
    pub fn by(gate: &'g dyn Gate) -> Result<Counted<'g>, Problem> {
        gate.count().map(|()| Counted(Some(gate)))
    }

    /// The ID was given.
    pub fn given(mut self) {
        self.0 = None;
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        if let Some(gate) = self.0 {
            gate.give_back();
        }
    }
}
