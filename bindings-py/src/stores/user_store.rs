//! A user's own store: any object with the methods.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use leafid::Error;
use leafid::driver::{Holding, Hub};
use leafid::host::fork_cell::ForkCell;
use leafid::stores::{Backend, Transport};
use leafid_core::{Ask, Code, Grant, Release, SegmentGrant, WindowGrant};
use leafid_wire::{Fields, put_ask};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::values::{dict, errors, outside};

/// A user's own object, and the generators that draw from it. They share a thread, so that its methods,
/// and what they use, such as a connection, need not be thread-safe.
///
/// The generators hold the object, and this does not: an object may have its generators in an attribute, and the
/// collector of such cycles has to see every reference.
pub struct UserStore {
    holds: Mutex<Vec<Weak<Hold>>>,
    /// The reference to a store that this package opened for a URL: no variable of the user refers to that object.
    own: OnceLock<Arc<Hold>>,
    hub: ForkCell<Hub>,
}

/// A reference to an object: a generator's, until it is dropped or collected, and then its driver's, which may need it for
/// a last release.
pub struct Hold(Option<Py<PyAny>>);

impl Hold {
    pub fn object(&self) -> Option<&Py<PyAny>> {
        self.0.as_ref()
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // A detached thread cannot free a Python object: PyO3 would put it off until some thread attaches again.
        Python::try_attach(|_| drop(self.0.take()));
    }
}

impl UserStore {
    /// The store of an object, the same for all its generators, and a reference for one of them.
    pub fn of(store: &Bound<'_, PyAny>) -> (Arc<UserStore>, Arc<Hold>) {
        static ALL: Mutex<BTreeMap<usize, Weak<UserStore>>> = Mutex::new(BTreeMap::new());
        let hold = Arc::new(Hold(Some(store.clone().unbind())));
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let at = store.as_ptr() as usize;
        // An entry without references is left of an object that was freed, and whose address this one has now.
        let known = all.get(&at).and_then(Weak::upgrade);
        let own = known.filter(|own| own.adds(&hold)).unwrap_or_else(|| {
            let (holds, hub) = (vec![Arc::downgrade(&hold)].into(), ForkCell::new(Hub::new()));
            let own = Arc::new(UserStore { holds, own: OnceLock::new(), hub });
            all.retain(|_, own| own.strong_count() > 0);
            all.insert(at, Arc::downgrade(&own));
            own
        });
        (own, hold)
    }

    /// Adds a reference; false if there was no other, so that the object may have been freed meanwhile.
    fn adds(&self, hold: &Arc<Hold>) -> bool {
        let mut holds = self.holds();
        holds.retain(|hold| hold.strong_count() > 0);
        let is_held = !holds.is_empty();
        holds.push(Arc::downgrade(hold));
        is_held
    }

    fn holds(&self) -> MutexGuard<'_, Vec<Weak<Hold>>> {
        self.holds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a reference for as long as this lives.
    pub fn keep(&self, hold: Arc<Hold>) {
        let _ = self.own.set(hold);
    }

    /// The object; `None` once it was freed with the last of its generators.
    fn object<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let holds = self.holds();
        let hold = holds.iter().find_map(Weak::upgrade);
        // Unlocks before `hold` is dropped: that may run Python code, which may come here again.
        drop(holds);
        Some(hold?.object()?.bind(py).clone())
    }

    /// A connection that has a reference to its object, for a caller without a generator.
    pub fn connection(store: &Bound<'_, PyAny>) -> Box<dyn Transport> {
        let (own, hold) = UserStore::of(store);
        Box::new(Called { own, _hold: Some(hold) })
    }
}

impl Backend for UserStore {
    fn hub(&self) -> &ForkCell<Hub> {
        &self.hub
    }

    fn place(&self) -> Option<String> {
        outside::attached(|py| {
            let store = &self.object(py)?;
            // The stores of this package have their place in an attribute.
            let place = outside::attribute(store, "_place").and_then(|place| place.extract());
            Some(place.unwrap_or_else(|_| format!("{:p}", store.as_ptr())))
        })
    }

    fn connect(self: Arc<Self>) -> Box<dyn Transport> {
        Box::new(Called { own: self, _hold: None })
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
struct Called {
    own: Arc<UserStore>,
    _hold: Option<Arc<Hold>>,
}

impl Called {
    fn call<'py>(
        &self,
        py: Python<'py>,
        verb: &str,
        fields: PyResult<Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>, Error> {
        let gone =
            || Error::new(Code::StoreUnavailable, "the store was dropped with its generators");
        let store = self.own.object(py).ok_or_else(gone)?;
        fields
            .and_then(|fields| outside::call_method(&store, verb, (fields,), None))
            .map_err(|error| failed(py, verb, error))
    }
}

impl Transport for Called {
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Error> {
        let verb = match ask {
            Ask::Segment(_) => "lease_segment",
            Ask::Acquire(_) => "acquire",
            Ask::Renew(_) => "renew",
        };
        outside::attached(|py| {
            let answer = self.call(py, verb, dict::written(py, |to| put_ask(ask, to)))?;
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
            self.call(py, "release", fields).map(drop)
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
