//! A user's own store: any object with the methods, which a daemon thread of Python calls.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use leafid_core::{Ask, Code, Grant, HostTime, SegmentGrant, WindowGrant};
use leafid_wire::Fields;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::client::Failed;
use crate::client::driver::{Driven, Errand, Hub};
use crate::values::{dict, errors, outside};

/// Starts the thread: `leafid._carry.start(carrier, store)`.
pub fn start(py: Python<'_>, hub: Arc<Hub>, store: &Bound<'_, PyAny>) -> PyResult<()> {
    let carrier = Carrier { hub, out: Mutex::new(None), last: Mutex::new(None) };
    let start = outside::of_module(py, "leafid._carry", "start")?;
    outside::call(&start, (carrier, store), None).map(drop)
}

/// The thread's connection to the engine: it polls for calls and brings their results.
#[pyclass(frozen, module = "leafid._native")]
pub struct Carrier {
    hub: Arc<Hub>,
    out: Mutex<Option<Out>>,
    /// The last generator: it learns of the driver's end once the thread has left this object.
    last: Mutex<Option<Arc<dyn Driven>>>,
}

/// The call under way.
struct Out {
    driven: Arc<dyn Driven>,
    /// The ask, and when it left on the host's clock; `None` for a release.
    ask: Option<(Ask, HostTime)>,
    begun: Instant,
}

type Call<'py> = (&'static str, Bound<'py, PyDict>);

#[pymethods]
impl Carrier {
    /// Waits for the next call to make: a method's name and its argument. `None` ends the thread.
    fn poll<'py>(&self, py: Python<'py>) -> PyResult<Option<Call<'py>>> {
        loop {
            let (driven, action) = py.detach(|| self.hub.next());
            let begun = Instant::now();
            match action {
                Errand::Ask(ask, sent) => {
                    self.put_out(Some(Out { driven, ask: Some((ask, sent)), begun }));
                    let fields = dict::written(py, |to| match &ask {
                        Ask::Segment(ask) => ask.put(to),
                        Ask::Acquire(ask) => ask.put(to),
                        Ask::Renew(ask) => ask.put(to),
                    })?;
                    return Ok(Some((verb(&ask), fields)));
                }
                Errand::Release(release) => {
                    self.put_out(Some(Out { driven, ask: None, begun }));
                    let fields = dict::written(py, |to| release.put(to))?;
                    return Ok(Some(("release", fields)));
                }
                Errand::End => {
                    *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(driven);
                    return Ok(None);
                }
                Errand::Reconnect | Errand::Rest(_) => {}
            }
        }
    }

    /// Takes the method's result.
    fn answered(&self, answer: &Bound<'_, PyAny>) {
        let Some(out) = self.put_out(None) else { return };
        match &out.ask {
            Some((ask, _)) => self.bring(&out, granted(ask, answer)),
            None => out.driven.released(),
        }
    }

    /// Takes the method's exception: a leafid error keeps its code, anything else becomes
    /// `STORE_UNAVAILABLE` with its cause.
    fn failed(&self, error: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(out) = self.put_out(None) else { return Ok(()) };
        match &out.ask {
            Some((ask, _)) => self.bring(&out, Err(told(ask, error)?)),
            // The holder can do nothing about a failed release.
            None => out.driven.released(),
        }
        Ok(())
    }

    /// Reports the thread's end.
    fn ended(&self) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).take();
        match last {
            Some(last) => last.ended(),
            // The thread broke down.
            None => self.hub.abandon(),
        }
    }
}

impl Carrier {
    fn bring(&self, out: &Out, answer: Result<Grant, Failed>) {
        let Some((ask, sent)) = &out.ask else { return };
        self.hub.answered(&*out.driven, ask, *sent, answer, out.begun.elapsed());
    }

    fn put_out(&self, out: Option<Out>) -> Option<Out> {
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
        let words = outside::call(&error.py().get_type::<PyString>(), (error,), None);
        let words = words.map_or_else(|_| "?".to_owned(), |words| words.to_string());
        let message = format!("the store's `{}` raised `{kind}: {words}`", verb(ask));
        return Ok(Failed { cause, ..Failed::new(Code::StoreUnavailable, message) });
    };
    let seconds: Option<f64> = error.getattr("retry_after")?.extract()?;
    let retry_after_ms = seconds.map(|seconds| (seconds * 1_000.0).ceil() as u32);
    let until_ms = error.getattr("until_ms")?.extract()?;
    Ok(Failed { cause, until_ms, retry_after_ms, ..Failed::new(code, error.str()?.to_string()) })
}
