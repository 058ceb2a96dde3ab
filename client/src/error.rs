//! Failures: a code and a message.

use std::error;
use std::fmt;
use std::sync::Arc;

use leafid_core::{Code, Failure, HostTime, Refusal};
use leafid_wire::{Sentence, Subject};

/// The cause of a failure: another [`Error`], or any error of a store of one's own.
pub type Cause = Arc<dyn error::Error + Send + Sync>;

/// A failure: a code, the same in every language, and a message for people, with its figures and the advice.
///
/// Its [`source`](error::Error::source) is what it comes from: of a call whose time was up, the last failure.
///
/// ```
/// use std::error::Error;
/// use std::time::Duration;
/// use leafid::{Code, Segment};
///
/// let orders = Segment::builder("orders")
///     .store("http://127.0.0.1:1")
///     .timeout(Duration::from_secs(2))
///     .build()?;
/// let failed = orders.next().unwrap_err();
/// match failed.code() {
///     Code::TimedOut => println!("try again later: {failed}"),
///     code => println!("{}: {failed}", code.as_str()),
/// }
/// # assert!(failed.source().unwrap().to_string().starts_with("no answer from"), "{failed}");
/// # Ok::<(), leafid::Error>(())
/// ```
// In a box, so that a result with an ID is returned in registers.
#[derive(Clone)]
pub struct Error(Box<Failed>);

#[derive(Clone)]
struct Failed {
    code: Code,
    message: String,
    until_ms: Option<i64>,
    retry_after_ms: Option<u32>,
    cause: Option<Cause>,
}

impl Error {
    /// A failure with this code and message: for a store of one's own.
    ///
    /// ```
    /// use leafid::{Code, Error};
    ///
    /// let away = Error::new(Code::StoreUnavailable, "no answer from the queue: is it running?");
    /// assert_eq!(away.to_string(), "no answer from the queue: is it running?");
    /// assert_eq!(format!("{away:?}"), "STORE_UNAVAILABLE: no answer from the queue: is it running?");
    /// ```
    #[cold]
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        let (message, until_ms, retry_after_ms, cause) = (message.into(), None, None, None);
        Error(Box::new(Failed { code, message, until_ms, retry_after_ms, cause }))
    }

    /// The same, with when to try again, in ms: on the refusing side's clock.
    ///
    /// ```
    /// use leafid::{Code, Error};
    ///
    /// let spent = Error::new(Code::WorkersExhausted, "all are held").until_ms(Some(1_800_000_000_000));
    /// assert_eq!(spent.retry().0, Some(1_800_000_000_000));
    /// ```
    #[must_use]
    pub fn until_ms(mut self, until_ms: Option<i64>) -> Error {
        self.0.until_ms = until_ms;
        self
    }

    /// The same, with how long to wait before asking again, in ms. A generator waits at least that long.
    ///
    /// ```
    /// use leafid::{Code, Error};
    ///
    /// let busy = Error::new(Code::Overloaded, "try again in a second").retry_after_ms(Some(1_000));
    /// assert_eq!(busy.retry().1, Some(1_000));
    /// ```
    #[must_use]
    pub fn retry_after_ms(mut self, retry_after_ms: Option<u32>) -> Error {
        self.0.retry_after_ms = retry_after_ms;
        self
    }

    /// The same, with what it comes from.
    ///
    /// ```
    /// use std::error::Error as _;
    /// use std::sync::Arc;
    /// use leafid::{Code, Error};
    ///
    /// let reset = std::io::Error::other("connection reset");
    /// let away = Error::new(Code::StoreUnavailable, "no answer").caused_by(Some(Arc::new(reset)));
    /// assert_eq!(away.source().unwrap().to_string(), "connection reset");
    /// ```
    #[must_use]
    pub fn caused_by(mut self, cause: Option<Cause>) -> Error {
        self.0.cause = cause;
        self
    }

    /// The code.
    ///
    /// ```
    /// use leafid::{Code, Segment};
    ///
    /// let refused = Segment::builder("not a tag").store("memory:").build().unwrap_err();
    /// assert_eq!(refused.code(), Code::TagInvalid);
    /// assert_eq!(refused.code().as_str(), "TAG_INVALID");
    /// ```
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// When to try again, in ms, on the refusing side's clock; and how long to wait before that, in ms.
    ///
    /// ```
    /// use leafid::{Code, Error};
    ///
    /// assert_eq!(Error::new(Code::StoreUnavailable, "no answer").retry(), (None, None));
    /// ```
    pub fn retry(&self) -> (Option<i64>, Option<u32>) {
        (self.0.until_ms, self.0.retry_after_ms)
    }

    /// What it comes from: as [`source`](error::Error::source), to be shared.
    ///
    /// ```
    /// use leafid::{Code, Error};
    ///
    /// assert!(Error::new(Code::Internal, "a mistake of ours").cause().is_none());
    /// ```
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

/// A layout, a name or an ID that cannot be: `Layout::LEAF.decompose(id)?`.
impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error::about(refusal, Subject::Other("the value"))
    }
}

/// A refusal in the form of the wire.
#[cfg(any(feature = "http", feature = "conform"))]
impl From<leafid_wire::Problem> for Error {
    fn from(problem: leafid_wire::Problem) -> Error {
        let (until_ms, wait_ms) = (problem.free_at_ms, problem.retry_after_ms);
        Error::new(problem.code, problem.detail).until_ms(until_ms).retry_after_ms(wait_ms)
    }
}

/// The code and the message: what a program shows whose `main` returns it.
impl fmt::Debug for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}: {self}", self.0.code.as_str())
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
