//! Errors: one exception class per code, all under `leafid.LeafidError`.

use std::sync::Arc;

use leafid_core::{Code, Failure, Refusal};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyModule, PyType};

/// What went wrong, in words: a code, and what a person should read.
#[derive(Debug)]
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
    /// The exception behind it.
    pub cause: Option<Py<PyAny>>,
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
        let until_ms = refusal.until.map(leafid_core::HostTime::get);
        Failed { until_ms, ..Failed::new(refusal.code, words(refusal.code, about)) }
    }

    /// A store's failure that came without words.
    pub fn of_store(failure: Failure, about: &str) -> Failed {
        let retry_after_ms = failure.retry_after_ms;
        Failed { retry_after_ms, ..Failed::new(failure.code, words(failure.code, about)) }
    }

    /// The exception, with `cause` as its `__cause__`.
    pub fn raise(&self, py: Python<'_>) -> PyErr {
        match self.build(py) {
            Ok(error) => {
                let cause = self.cause.as_ref().map(|c| PyErr::from_value(c.bind(py).clone()));
                error.set_cause(py, cause);
                error
            }
            Err(broken) => broken,
        }
    }

    fn build(&self, py: Python<'_>) -> PyResult<PyErr> {
        let class = class(py, self.code)?;
        let figures = PyDict::new(py);
        figures.set_item("until_ms", self.until_ms)?;
        figures.set_item("retry_after", self.retry_after_ms.map(|ms| f64::from(ms) / 1_000.0))?;
        Ok(PyErr::from_value(class.call((&self.message,), Some(&figures))?))
    }
}

/// What passes between threads.
pub type Shared = Arc<Failed>;

/// Raises a refusal of a call that has no more to say than the table.
pub fn refuse(py: Python<'_>, refusal: Refusal, about: &str) -> PyErr {
    Failed::about(refusal, about).raise(py)
}

/// Raises a code with words of its own.
pub fn raise(py: Python<'_>, code: Code, message: impl Into<String>) -> PyErr {
    Failed::new(code, message).raise(py)
}

/// The sentence for a code that came without one.
fn words(code: Code, about: &str) -> String {
    let name = about.split('`').nth(1).unwrap_or("NAME");
    let advice = code.advice().replace(" TAG`", &format!(" {name}`"));
    let advice = advice.replace(" NAMESPACE`", &format!(" {name}`"));
    let what = code.as_str().to_lowercase().replace('_', " ");
    format!("{what} ({about}): {advice}")
}

/// The code of a leafid error; `None` for any other exception.
///
/// # Errors
/// If the Python side is not there.
pub fn code_of(error: &Bound<'_, PyAny>) -> PyResult<Option<Code>> {
    let base = module(error.py())?.getattr("LeafidError")?;
    if !error.is_instance(&base)? {
        return Ok(None);
    }
    Ok(Code::parse(&error.getattr("code")?.extract::<String>()?))
}

/// The Python side of this file.
///
/// # Errors
/// If it is not there.
pub fn module<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyModule>> {
    static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = ERRORS.get_or_try_init(py, || py.import("leafid.errors").map(Bound::unbind))?;
    Ok(module.bind(py))
}

fn class<'py>(py: Python<'py>, code: Code) -> PyResult<Bound<'py, PyType>> {
    Ok(module(py)?.getattr(class_name(code))?.cast_into()?)
}

/// Every code has a class: a code without one does not compile.
pub const fn class_name(code: Code) -> &'static str {
    match code {
        Code::RequestInvalid => "RequestInvalidError",
        Code::TagInvalid => "TagInvalidError",
        Code::NamespaceInvalid => "NamespaceInvalidError",
        Code::StepInvalid => "StepInvalidError",
        Code::CountInvalid => "CountInvalidError",
        Code::LayoutInvalid => "LayoutInvalidError",
        Code::WorkerInvalid => "WorkerInvalidError",
        Code::RangeInvalid => "RangeInvalidError",
        Code::IdInvalid => "IdInvalidError",
        Code::Unauthorized => "UnauthorizedError",
        Code::Forbidden => "ForbiddenError",
        Code::TagUnknown => "TagUnknownError",
        Code::NamespaceUnknown => "NamespaceUnknownError",
        Code::NotEnabled => "NotEnabledError",
        Code::TagExists => "TagExistsError",
        Code::LayoutMismatch => "LayoutMismatchError",
        Code::LeaseLost => "LeaseLostError",
        Code::StoreChanged => "StoreChangedError",
        Code::StoreWentBack => "StoreWentBackError",
        Code::TagSpent => "TagSpentError",
        Code::TimeOverflow => "TimeOverflowError",
        Code::QuotaExceeded => "QuotaExceededError",
        Code::StoreUnavailable => "StoreUnavailableError",
        Code::Overloaded => "OverloadedError",
        Code::WorkersExhausted => "WorkersExhaustedError",
        Code::SegmentDry => "SegmentDryError",
        Code::WindowSpent => "WindowSpentError",
        Code::SequenceSpent => "SequenceSpentError",
        Code::ClockBehind => "ClockBehindError",
        Code::TimedOut => "TimedOutError",
        Code::StoreRefused => "StoreRefusedError",
        Code::SchemaMismatch => "SchemaMismatchError",
        Code::Internal => "InternalError",
        Code::Closed => "ClosedError",
        Code::GrantInvalid => "GrantInvalidError",
        Code::StateLocked => "StateLockedError",
        Code::StateInvalid => "StateInvalidError",
    }
}
