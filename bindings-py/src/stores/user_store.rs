//! A user's own store: any object with the methods.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use leafid::Error;
use leafid::driver::{Holding, Hub};
use leafid::host::fork_cell::ForkCell;
use leafid::stores::{Backend, Transport};
use leafid_core::{Ask, Code, Grant, Release, SegmentGrant, WindowGrant};
use leafid_wire::{Fields, put_ask};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::values::{dict, errors, outside};

/// A user's own object, and the generators that draw from it. They share a thread, so that its methods,
/// and what they use, such as a connection, need not be thread-safe.
pub struct UserStore {
    pub store: Py<PyAny>,
    hub: ForkCell<Hub>,
}

impl UserStore {
    /// The store of an object, the same for all its generators. One at a time.
    pub fn of(store: &Bound<'_, PyAny>) -> Arc<UserStore> {
        static ALL: Mutex<BTreeMap<usize, Weak<UserStore>>> = Mutex::new(BTreeMap::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        // The object lives as long as this does, so its address is not reused.
        let at = store.as_ptr() as usize;
        if let Some(own) = all.get(&at).and_then(Weak::upgrade) {
            return own;
        }
        let own =
            Arc::new(UserStore { store: store.clone().unbind(), hub: ForkCell::new(Hub::new()) });
        all.retain(|_, own| own.strong_count() > 0);
        all.insert(at, Arc::downgrade(&own));
        own
    }
}

impl Backend for UserStore {
    fn hub(&self) -> &ForkCell<Hub> {
        &self.hub
    }

    fn place(&self) -> Option<String> {
        outside::attached(|py| {
            let store = self.store.bind(py);
            // The stores of this package have their place in an attribute.
            let place = outside::attribute(store, "_place").and_then(|place| place.extract());
            Some(place.unwrap_or_else(|_| format!("{:p}", store.as_ptr())))
        })
    }

    fn connect(self: Arc<Self>) -> Box<dyn Transport> {
        Box::new(Called(self))
    }

    fn run(self: Arc<Self>, hub: &Hub) -> Arc<Holding> {
        // The thread is one of Python's from its first call to its last: its `threading.local` stays.
        outside::attached(|py| {
            let mut connection = self.connect();
            let last = py.detach(|| hub.drive(&mut *connection));
            drop(connection);
            last
        })
    }
}

/// The object, whose methods are called.
struct Called(Arc<UserStore>);

impl Transport for Called {
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Error> {
        let verb = match ask {
            Ask::Segment(_) => "lease_segment",
            Ask::Acquire(_) => "acquire",
            Ask::Renew(_) => "renew",
        };
        outside::attached(|py| {
            let fields = dict::written(py, |to| put_ask(ask, to));
            let store = self.0.store.bind(py);
            let answer =
                fields.and_then(|fields| outside::call_method(store, verb, (fields,), None));
            let answer = answer.map_err(|error| failed(py, verb, error))?;
            let what = format!("the answer of the store's `{verb}`");
            let grant = match ask {
                Ask::Segment(_) => dict::read::<SegmentGrant>(&answer, &what).map(Grant::Segment),
                Ask::Acquire(_) | Ask::Renew(_) => {
                    dict::read::<WindowGrant>(&answer, &what).map(Grant::Window)
                }
            };
            grant.map_err(|wrong| Error::new(Code::GrantInvalid, wrong.value(py).to_string()))
        })
    }

    fn release(&mut self, release: &Release) -> Result<(), Error> {
        outside::attached(|py| {
            let fields = dict::written(py, |to| release.put(to));
            let store = self.0.store.bind(py);
            let answer =
                fields.and_then(|fields| outside::call_method(store, "release", (fields,), None));
            answer.map(drop).map_err(|error| failed(py, "release", error))
        })
    }
}

/// The failure for the exception of a method: a leafid error keeps its code, anything else becomes
/// `STORE_UNAVAILABLE` with its cause.
pub fn failed(py: Python<'_>, verb: &str, error: PyErr) -> Error {
    let value = error.value(py);
    let words = outside::call(&py.get_type::<PyString>(), (value,), None);
    let words = words.map_or_else(|_| "?".to_owned(), |words| words.to_string());
    let failure = match errors::code_of(value) {
        Some(code) => {
            let seconds = value.getattr("retry_after").and_then(|seconds| seconds.extract());
            let seconds: Option<f64> = seconds.unwrap_or_default();
            let retry_after_ms = seconds.map(|seconds| (seconds * 1_000.0).ceil() as u32);
            let until_ms = value.getattr("until_ms").and_then(|until| until.extract());
            let until_ms = until_ms.unwrap_or_default();
            Error::new(code, words).until_ms(until_ms).retry_after_ms(retry_after_ms)
        }
        None => {
            let kind = value.get_type().name().map_or("?".to_owned(), |kind| kind.to_string());
            let message = format!("the store's `{verb}` raised `{kind}: {words}`");
            Error::new(Code::StoreUnavailable, message)
        }
    };
    failure.caused_by(Some(Arc::new(error)))
}
