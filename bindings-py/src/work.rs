//! A generator as the thread that carries its asks sees it.

use leafid_core::{Ask, Grant, HostTime};

use crate::errors::Failed;
use crate::state::Job;

/// A generator as its thread sees it.
pub trait Work: Send + Sync {
    /// Waits for the next thing to do.
    fn next_job(&self) -> Job;
    /// Takes an answer.
    fn answered(&self, ask: &Ask, sent: HostTime, answer: Result<Grant, Failed>);
    /// The thread has ended.
    fn ended(&self);
    /// Whether the thread has ended, and no caller waits.
    fn is_over(&self) -> bool;
    /// Closes the line, and ends the thread after what is to be sent.
    fn retire(&self);
    /// Whether it was made in this process.
    fn is_ours(&self) -> bool;
    /// What it is, for messages.
    fn about(&self) -> &str;
}
