//! Failures: a code and a message.

use std::error;
use std::fmt;
use std::sync::Arc;

use leafid_core::{Code, Failure, HostTime, Refusal};
use leafid_wire::{Sentence, Subject};

/// The cause of a failure: another one, or an error of the language around this crate.
pub type Cause = Arc<dyn error::Error + Send + Sync>;

/// A failure: a code, the same in every language, and a message for people, with its figures and the advice.
///
/// Its [`source`](error::Error::source) is what it comes from: of a call whose time was up, the last failure.
// In a box, so that a result with an ID is returned in registers.
#[derive(Clone, Debug)]
pub struct Error(Box<Failed>);

#[derive(Clone, Debug)]
struct Failed {
    code: Code,
    message: String,
    until_ms: Option<i64>,
    retry_after_ms: Option<u32>,
    cause: Option<Cause>,
}

impl Error {
    /// A failure with this code and message.
    #[cold]
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        let (message, until_ms, retry_after_ms, cause) = (message.into(), None, None, None);
        Error(Box::new(Failed { code, message, until_ms, retry_after_ms, cause }))
    }

    /// The same, with when to try again: on the refusing side's clock.
    #[must_use]
    pub fn until_ms(mut self, until_ms: Option<i64>) -> Error {
        self.0.until_ms = until_ms;
        self
    }

    /// The same, with how long to wait before asking again, in ms.
    #[must_use]
    pub fn retry_after_ms(mut self, retry_after_ms: Option<u32>) -> Error {
        self.0.retry_after_ms = retry_after_ms;
        self
    }

    /// The same, with what it comes from.
    #[must_use]
    pub fn caused_by(mut self, cause: Option<Cause>) -> Error {
        self.0.cause = cause;
        self
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// When to try again, in ms, on the refusing side's clock; and how long to wait before that.
    pub fn retry(&self) -> (Option<i64>, Option<u32>) {
        (self.0.until_ms, self.0.retry_after_ms)
    }

    /// What it comes from.
    pub fn cause(&self) -> Option<&Cause> {
        self.0.cause.as_ref()
    }

    /// The failure for a refusal of the core.
    #[doc(hidden)]
    pub fn about(refusal: Refusal, subject: Subject<'_>) -> Error {
        let message = Sentence::new(refusal.code, subject).to_string();
        Error::new(refusal.code, message).until_ms(refusal.until.map(HostTime::get))
    }

    /// The failure for an answer of a store that had no message.
    #[doc(hidden)]
    pub fn of_store(failure: Failure, subject: Subject<'_>) -> Error {
        let Failure { code, retry_after_ms } = failure;
        let wait_ms = retry_after_ms.map(u64::from);
        let said = Sentence { wait_ms, ..Sentence::new(code, subject) };
        Error::new(code, said.to_string()).retry_after_ms(retry_after_ms)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0.message)
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.cause().map(|cause| &**cause as &(dyn error::Error + 'static))
    }
}
