//! Runs the opening of a database that lies across a network.

use leafid_core::Code;

use super::Unopened;
use crate::problem::Problem;

/// Runs it on a thread and a runtime of its own, whatever runs here: the connection that it makes
/// belongs to them and ends with them.
///
/// # Errors
/// `INTERNAL` where there is no runtime, or it panicked.
pub fn apart<F, T>(run: impl FnOnce() -> F + Send) -> Result<T, Unopened>
where
    F: Future<Output = T>,
    T: Send,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let cannot = |why: String| Unopened::from(Problem::new(Code::Internal, why));
    let runtime = runtime.map_err(|error| cannot(format!("no runtime: {error}")))?;
    // The runtime ends there as well: it must not be dropped where another runs.
    std::thread::scope(|scope| scope.spawn(move || runtime.block_on(run())).join())
        .map_err(|_| cannot("the opening of the store panicked".to_owned()))
}
