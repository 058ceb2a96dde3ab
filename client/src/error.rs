//! Failures: a code and a message.

use std::error;
use std::fmt;
use std::sync::Arc;

use leafid_core::{Code, Failure, HostTime, Refusal};
use leafid_wire::{Sentence, Subject};

/// The cause of a failure: another one, or an error of the language around this client.
pub type Cause = Arc<dyn error::Error + Send + Sync>;

/// A failure: a code, and a message for people.
#[derive(Clone, Debug)]
pub struct Error {
    /// The code, the same in every language.
    pub code: Code,
    /// The event with its figures, and the advice.
    pub message: String,
    /// When to try again: on the refusing side's clock.
    pub until_ms: Option<i64>,
    /// How long to wait before asking again, in ms.
    pub retry_after_ms: Option<u32>,
    /// What it comes from: the last failure of a call whose time was up.
    pub cause: Option<Cause>,
}

impl Error {
    /// A failure with this code and message.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), until_ms: None, retry_after_ms: None, cause: None }
    }

    /// The failure for a refusal of the core.
    pub fn about(refusal: Refusal, subject: Subject<'_>) -> Error {
        let message = Sentence::new(refusal.code, subject).to_string();
        Error { until_ms: refusal.until.map(HostTime::get), ..Error::new(refusal.code, message) }
    }

    /// The failure for an answer of a store that had no message.
    pub fn of_store(failure: Failure, subject: Subject<'_>) -> Error {
        let Failure { code, retry_after_ms } = failure;
        let wait_ms = retry_after_ms.map(u64::from);
        let said = Sentence { wait_ms, ..Sentence::new(code, subject) };
        Error { retry_after_ms, ..Error::new(code, said.to_string()) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.message)
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.cause.as_ref().map(|cause| &**cause as &(dyn error::Error + 'static))
    }
}
