//! The interface between a driver and a generator of either kind.

use std::io;
use std::sync::Arc;

use leafid_core::{Ask, Grant, HostTime};

use crate::client::Failed;
use crate::client::driver::{Errand, Hub};

/// A generator as its driver sees it.
pub trait Driven: Send + Sync {
    /// The driver's next task, or how long to rest.
    fn poll_errand(&self) -> Errand;
    /// Whether there was a call since the last check.
    fn take_call(&self) -> bool;
    fn listen(&self, hub: Arc<Hub>);
    fn released(&self);
    /// Takes the answer to an ask that left at `sent`.
    fn answered(&self, ask: &Ask, sent: HostTime, answer: Result<Grant, Failed>);
    /// Learns that the driver has ended, or could not start.
    fn ended(&self);
    /// Whether the driver has ended, and every caller has its ID or its error.
    fn is_over(&self) -> bool;
    /// Whether a caller still waits.
    fn has_callers(&self) -> bool;
    /// Closes the line; the driver sends what is pending, then ends.
    fn retire(&self);
    /// Starts the thread of the state file, if one is kept.
    fn save(self: Arc<Self>) -> io::Result<()>;
    fn forget(&self);
    fn give_back(&self);
    fn has_given_back(&self) -> bool;
    fn is_ours(&self) -> bool;
    /// The tag or namespace and the owner in words: two open generators with the same text should be one.
    /// `None` once closed.
    fn draws(&self) -> Option<String>;
    fn costs(&self) -> &'static str;
}
