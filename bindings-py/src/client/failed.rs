//! What went wrong, in words.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use leafid_core::{Code, Failure, HostTime, Refusal};

/// What stands behind a failure: another one, or an error of the language around this client.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// What went wrong, in words: a code, and what a person should read.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The code.
    pub code: Code,
    /// What happened, with the figures, and what to do.
    pub message: String,
    /// When to come again: on the clock of whoever refused.
    pub until_ms: Option<i64>,
    /// How long to wait at least.
    pub retry_after_ms: Option<u32>,
    /// Whether the message says until when it is so; the words of a server do.
    pub says_when: bool,
    /// What stands behind it.
    pub cause: Option<Cause>,
}

impl Failed {
    /// A code and what to read.
    pub fn new(code: Code, message: impl Into<String>) -> Failed {
        let message = message.into();
        let (until_ms, retry_after_ms, says_when) = (None, None, false);
        Failed { code, message, until_ms, retry_after_ms, says_when, cause: None }
    }

    /// A refusal about something (`` tag `orders` ``), with the table's advice.
    pub fn about(refusal: Refusal, about: &str) -> Failed {
        let until_ms = refusal.until.map(HostTime::get);
        Failed { until_ms, ..Failed::new(refusal.code, words(refusal.code, about)) }
    }

    /// A store's failure that came without words.
    pub fn of_store(failure: Failure, about: &str) -> Failed {
        let retry_after_ms = failure.retry_after_ms;
        Failed { retry_after_ms, ..Failed::new(failure.code, words(failure.code, about)) }
    }

    /// An answer of a store that is no grant.
    pub fn no_grant(message: impl Into<String>) -> Failed {
        Failed::new(Code::GrantInvalid, message)
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

/// The sentence for a code that came without one.
fn words(code: Code, about: &str) -> String {
    let name = about.split('`').nth(1).unwrap_or("NAME");
    let advice = code.advice().replace(" TAG`", &format!(" {name}`"));
    let advice = advice.replace(" NAMESPACE`", &format!(" {name}`"));
    let what = code.as_str().to_lowercase().replace('_', " ");
    format!("{what} ({about}): {advice}")
}
