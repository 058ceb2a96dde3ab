//! A generator as its driver sees it, whichever kind it is.

use std::io;
use std::sync::Arc;

use leafid_core::{Ask, Grant, HostTime};

use crate::client::Failed;
use crate::client::driver::{Errand, Hub};

/// A generator as its driver sees it.
pub trait Driven: Send + Sync {
    /// The next thing to do, or how long to rest.
    fn poll_errand(&self) -> Errand;
    /// Whether somebody called since this was asked last.
    fn take_call(&self) -> bool;
    fn listen(&self, hub: Arc<Hub>);
    fn released(&self);
    /// Takes the answer to an ask that left at `sent`.
    fn answered(&self, ask: &Ask, sent: HostTime, answer: Result<Grant, Failed>);
    /// The driver has ended, or could not begin.
    fn ended(&self);
    /// Whether the driver has ended, and every caller has its ID or its error.
    fn is_over(&self) -> bool;
    /// Whether a caller has neither yet.
    fn has_callers(&self) -> bool;
    /// Closes the line, and ends the driver after what is to be sent.
    fn retire(&self);
    /// Starts the thread of the state file, if there is one to be kept.
    fn save(self: Arc<Self>) -> io::Result<()>;
    fn forget(&self);
    fn give_back(&self);
    fn has_given_back(&self) -> bool;
    fn is_ours(&self) -> bool;
    /// What it draws from and as whom, the same for all that should be one; `None` once it is closed.
    fn draws(&self) -> Option<String>;
    fn costs(&self) -> &'static str;
}
