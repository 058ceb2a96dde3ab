//! Who may ask at Leaf's listener: its clients can send no token that would tell.

use axum::http::request::Parts;
use leafid_store::problem::Problem;

/// What stands before Leaf's paths.
pub trait Gate: Send + Sync + 'static {
    /// Admits a request.
    ///
    /// # Errors
    /// `FORBIDDEN` for an address that may not ask, and for what may come from a web page.
    fn check(&self, head: &Parts) -> Result<(), Problem>;

    /// Counts and logs a refusal of one of its own.
    fn refused(&self, problem: &Problem, head: &Parts);
}
