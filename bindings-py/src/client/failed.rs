//! Failures: a code and a message.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use leafid_core::{Code, Failure, HostTime, Refusal};
use leafid_wire::{Sentence, Subject};

/// The cause of a failure: another one, or an error of the language around this client.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// A failure: a code, and a message for people.
#[derive(Clone, Debug)]
pub struct Failed {
    pub code: Code,
    /// The event with its figures, and the advice.
    pub message: String,
    /// When to try again: on the refusing side's clock.
    pub until_ms: Option<i64>,
    pub retry_after_ms: Option<u32>,
    pub cause: Option<Cause>,
}

impl Failed {
    pub fn new(code: Code, message: impl Into<String>) -> Failed {
        Failed { code, message: message.into(), until_ms: None, retry_after_ms: None, cause: None }
    }

    /// The failure for a refusal of the core.
    pub fn about(refusal: Refusal, subject: Subject<'_>) -> Failed {
        let message = Sentence::new(refusal.code, subject).to_string();
        Failed { until_ms: refusal.until.map(HostTime::get), ..Failed::new(refusal.code, message) }
    }

    /// The failure for an answer of a store that had no message.
    pub fn of_store(failure: Failure, subject: Subject<'_>) -> Failed {
        let Failure { code, retry_after_ms } = failure;
        let wait_ms = retry_after_ms.map(u64::from);
        let said = Sentence { wait_ms, ..Sentence::new(code, subject) };
        Failed { retry_after_ms, ..Failed::new(code, said.to_string()) }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.message)
    }
}

impl Error for Failed {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_ref().map(|cause| &**cause as &(dyn Error + 'static))
    }
}
