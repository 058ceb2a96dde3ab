//! A user's own store: any object with the methods, called from a daemon thread of Python.

use std::sync::{Arc, Mutex, PoisonError};

use leafid_core::{Ask, Code, Fields, Grant, HostTime, SegmentGrant, WindowGrant};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::client::Failed;
use crate::client::driver::{Action, Driven};
use crate::values::{dict, errors};

/// Starts the thread: `leafid._carry.start(carrier, store)`.
///
/// # Errors
/// `RuntimeError` if there is no thread to be had.
pub fn start(py: Python<'_>, driven: Arc<dyn Driven>, store: &Bound<'_, PyAny>) -> PyResult<()> {
    let carrier = Carrier { driven, out: Mutex::new(None) };
    py.import("leafid._carry")?.call_method1("start", (carrier, store)).map(drop)
}

/// What the thread speaks with: it polls for calls and brings their results.
#[pyclass(frozen, module = "leafid._native")]
pub struct Carrier {
    driven: Arc<dyn Driven>,
    /// The ask that is out, and when it left.
    out: Mutex<Option<(Ask, HostTime)>>,
}

type Call<'py> = (&'static str, Bound<'py, PyDict>);

#[pymethods]
impl Carrier {
    /// What it is, for the thread's name.
    #[getter]
    fn about(&self) -> String {
        self.driven.about()
    }

    /// Waits for the next call to make: a method's name and its argument. `None` ends the thread.
    fn poll<'py>(&self, py: Python<'py>) -> PyResult<Option<Call<'py>>> {
        loop {
            match py.detach(|| self.driven.next_action()) {
                Action::Ask(ask, sent) => {
                    self.put_out(Some((ask, sent)));
                    let fields = dict::written(py, |to| match &ask {
                        Ask::Segment(ask) => ask.put(to),
                        Ask::Acquire(ask) => ask.put(to),
                        Ask::Renew(ask) => ask.put(to),
                    })?;
                    return Ok(Some((verb(&ask), fields)));
                }
                Action::Release(release) => {
                    let fields = dict::written(py, |to| release.put(to))?;
                    return Ok(Some(("release", fields)));
                }
                Action::End => return Ok(None),
                Action::Reconnect | Action::Wait(_) => {}
            }
        }
    }

    /// The method gave this.
    fn answered(&self, answer: &Bound<'_, PyAny>) {
        let Some((ask, sent)) = self.put_out(None) else { return };
        self.driven.answered(&ask, sent, granted(&ask, answer));
    }

    /// The method raised this: a leafid error keeps its code, anything else is
    /// `STORE_UNAVAILABLE` with its cause.
    fn failed(&self, error: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some((ask, sent)) = self.put_out(None) else { return Ok(()) };
        let failed = told(&ask, error)?;
        self.driven.answered(&ask, sent, Err(failed));
        Ok(())
    }

    /// The thread ends.
    fn ended(&self) {
        self.driven.ended();
    }
}

impl Carrier {
    fn put_out(&self, out: Option<(Ask, HostTime)>) -> Option<(Ask, HostTime)> {
        let mut held = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *held, out)
    }
}

fn verb(ask: &Ask) -> &'static str {
    match ask {
        Ask::Segment(_) => "lease_segment",
        Ask::Acquire(_) => "acquire",
        Ask::Renew(_) => "renew",
    }
}

fn granted(ask: &Ask, answer: &Bound<'_, PyAny>) -> Result<Grant, Failed> {
    let what = format!("the answer of the store's `{}`", verb(ask));
    let grant = match ask {
        Ask::Segment(_) => dict::read::<SegmentGrant>(answer, &what).map(Grant::Segment),
        Ask::Acquire(_) | Ask::Renew(_) => {
            dict::read::<WindowGrant>(answer, &what).map(Grant::Window)
        }
    };
    grant.map_err(|failed| Failed::no_grant(failed.message))
}

fn told(ask: &Ask, error: &Bound<'_, PyAny>) -> PyResult<Failed> {
    let cause = Some(errors::cause(error));
    let Some(code) = errors::code_of(error)? else {
        let kind = error.get_type().name()?;
        let message = format!("the store's `{}` raised `{kind}: {error}`", verb(ask));
        return Ok(Failed { cause, ..Failed::new(Code::StoreUnavailable, message) });
    };
    let seconds: Option<f64> = error.getattr("retry_after")?.extract()?;
    let retry_after_ms = seconds.map(|seconds| (seconds * 1_000.0).ceil() as u32);
    let until_ms = error.getattr("until_ms")?.extract()?;
    Ok(Failed { cause, until_ms, retry_after_ms, ..Failed::new(code, error.str()?.to_string()) })
}
