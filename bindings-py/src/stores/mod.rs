//! The `store` argument: a URL, one of our stores, or any object with the methods.

mod beside;
mod http;
mod memory;
mod object;
mod sql;
mod time;
mod turn;

pub use http::HttpStore;
pub use memory::{MemoryStore, drop_memory};
pub use object::Carrier;
pub use sql::{abandon, namespace_fields, process, sql_texts};
pub use time::PyStoreTime;
pub use turn::Turn;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use leafid_core::{Ask, Code, Grant, Range};
use leafid_wire::Fields;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::client::driver::{self, Driven, Hub, HubCell};
use crate::client::stores::{Http, Memory};
use crate::client::{Failed, log};
use crate::values::{dict, errors, outside, utf8};

/// The environment variable with the default store's URL.
const VARIABLE: &str = "LEAFID_STORE";

/// A resolved `store` argument.
pub enum StoreArg {
    Http(Arc<Http>),
    Memory(Arc<Memory>),
    /// A user's own object, and the generators that draw from it.
    Object(Py<PyAny>, Arc<HubCell>),
}

impl StoreArg {
    /// Resolves an argument to a store; `verbs` are the methods that it needs.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for no store and for a text that is no URL of one; `TypeError` for an
    /// object that lacks a method.
    pub fn resolve(
        py: Python<'_>,
        store: Option<&Bound<'_, PyAny>>,
        verbs: &[&str],
        create: bool,
        workers: Option<Range>,
    ) -> PyResult<StoreArg> {
        let Some(store) = store else { return from_environment(py, create, workers) };
        if let Ok(url) = store.cast::<PyString>() {
            return from_url(py, &utf8(url)?, create, workers);
        }
        if let Ok(store) = store.cast::<HttpStore>() {
            return Ok(StoreArg::Http(Arc::clone(&store.get().0)));
        }
        if let Ok(store) = store.cast::<MemoryStore>() {
            return Ok(StoreArg::Memory(Arc::clone(&store.get().0)));
        }
        for verb in verbs {
            if !store.hasattr(*verb)? {
                let kind = store.get_type().name()?;
                let message = format!(
                    "`{kind}` has no `{verb}`: a store is a URL, an `HttpStore`, a `SqliteStore`, a `SqlStore`, a \
                     `MemoryStore`, or an object with the methods `{}`",
                    verbs.join("`, `")
                );
                return Err(errors::wrong_type(message));
            }
        }
        Ok(StoreArg::object(store))
    }

    /// A user's own object. All its generators share a thread, so that its methods, and what they use,
    /// such as a connection, need not be thread-safe. One at a time.
    fn object(store: &Bound<'_, PyAny>) -> StoreArg {
        static HUBS: Mutex<BTreeMap<usize, Weak<HubCell>>> = Mutex::new(BTreeMap::new());
        let mut hubs = HUBS.lock().unwrap_or_else(PoisonError::into_inner);
        // A hub's owner holds the object too, so the address is not reused while the hub lives.
        let at = store.as_ptr() as usize;
        let hub = hubs.get(&at).and_then(Weak::upgrade).unwrap_or_default();
        hubs.retain(|_, hub| hub.strong_count() > 0);
        hubs.insert(at, Arc::downgrade(&hub));
        StoreArg::Object(store.clone().unbind(), hub)
    }

    /// Creates a tag or a namespace if it does not exist (`verb` is `create_tag` or `create_namespace`):
    /// our stores in a file or a database do so later, before their first grant; a user's own at once.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a store that only commands can do this in; the store's own.
    pub fn make(&self, verb: &str, name: &str, how: &Bound<'_, PyDict>) -> PyResult<()> {
        let py = how.py();
        match self {
            StoreArg::Memory(_) => Ok(()),
            StoreArg::Object(store, _) if store.bind(py).hasattr("make_later")? => {
                how.set_item("if_missing", true)?;
                outside::call_method(store.bind(py), "make_later", (verb, name, how), None)
                    .map(drop)
            }
            StoreArg::Object(store, _) if store.bind(py).hasattr(verb)? => {
                how.set_item("if_missing", true)?;
                outside::call_method(store.bind(py), verb, (name,), Some(how)).map(drop)
            }
            StoreArg::Http(_) | StoreArg::Object(..) => {
                let kind = verb.trim_start_matches("create_");
                let message = format!(
                    "`create=True` is for stores in a file or a database; in this one create it by \
                     command: leafid {kind} create {name}"
                );
                Err(errors::raise(Code::RequestInvalid, message))
            }
        }
    }

    /// Checks that a namespace can be created here with a range of worker numbers.
    ///
    /// # Errors
    /// `WORKER_INVALID` where the store or its operator sets the range.
    pub fn takes_workers(&self, namespace: &str, workers: Range) -> PyResult<()> {
        let Range { start, end } = workers;
        let message = match self {
            StoreArg::Object(..) => return Ok(()),
            StoreArg::Memory(_) => "a store in memory hands out numbers of its own: leave out \
                                    `workers`"
                .to_owned(),
            StoreArg::Http(_) => format!(
                "`workers` is for stores in a file or a database; the range of this one is its \
                 operator's to set: leafid namespace set {namespace} --workers {start}..{end}"
            ),
        };
        Err(errors::raise(Code::WorkerInvalid, message))
    }

    /// Starts a driver that carries a generator's asks to this store.
    pub fn drive(&self, py: Python<'_>, driven: Arc<dyn Driven>) -> PyResult<()> {
        // Before the start, which may run Python code: the interpreter's exit handler waits for it.
        driver::remember(Arc::downgrade(&driven));
        start_log(py);
        Arc::clone(&driven).save().map_err(no_thread).inspect_err(|_| driven.ended())?;
        let hub = match self {
            StoreArg::Http(http) => http.hub.get(),
            StoreArg::Memory(memory) => memory.hub.get(),
            StoreArg::Object(_, hub) => hub.get(),
        };
        let second = self.address(py).and_then(|address| beside::begins(&address, &driven));
        if hub.join(driven) {
            self.spawn(py, &hub)?;
        }
        let Some(second) = second else { return Ok(()) };
        outside::warn(py, &second)
    }

    /// A text that identifies this store; `None` for a memory store, since in tests several generators on
    /// it stand for several processes.
    fn address(&self, py: Python<'_>) -> Option<String> {
        match self {
            StoreArg::Http(http) => Some(http.url.clone()),
            StoreArg::Memory(_) => None,
            // The stores of this package have their place in an attribute.
            StoreArg::Object(store, _) => {
                let store = store.bind(py);
                let place =
                    outside::attribute(store, "_place").and_then(|place| place.extract::<String>());
                Some(place.unwrap_or_else(|_| format!("{:p}", store.as_ptr())))
            }
        }
    }

    fn spawn(&self, py: Python<'_>, hub: &Arc<Hub>) -> PyResult<()> {
        let spawn = |transport| driver::spawn(Arc::clone(hub), transport).map_err(no_thread);
        match self {
            StoreArg::Http(http) => spawn(Box::new(http.connect())),
            StoreArg::Memory(memory) => spawn(Box::new(Arc::clone(memory))),
            StoreArg::Object(store, _) => object::start(py, Arc::clone(hub), store.bind(py)),
        }
        .inspect_err(|_| hub.abandon())
    }
}

fn no_thread(error: std::io::Error) -> PyErr {
    PyRuntimeError::new_err(format!("the system gives no thread: {error}"))
}

/// Starts the thread that writes the log, in a process that has imported `logging`.
fn start_log(py: Python<'_>) {
    let modules = py.import("sys").and_then(|sys| sys.getattr("modules"));
    let logs = modules.and_then(|modules| modules.contains("logging")).unwrap_or(false);
    if logs && !log::is_read() {
        // A failing log must not keep callers from their IDs.
        let start = outside::of_module(py, "leafid._log", "start");
        let _ = start.and_then(|start| outside::call(&start, (), None));
    }
}

fn from_environment(py: Python<'_>, create: bool, workers: Option<Range>) -> PyResult<StoreArg> {
    match std::env::var(VARIABLE) {
        Ok(url) if !url.is_empty() => from_url(py, &url, create, workers),
        _ => Err(errors::raise(
            Code::RequestInvalid,
            format!(
                "no store was given: pass `store=\"http://127.0.0.1:8750\"` (or `\"memory:\"` in a test), \
                 or set `{VARIABLE}` to such a URL"
            ),
        )),
    }
}

fn from_url(py: Python<'_>, url: &str, create: bool, workers: Option<Range>) -> PyResult<StoreArg> {
    if sql::is_ours(url) {
        return Ok(StoreArg::object(sql::open(py, url, create, workers)?.bind(py)));
    }
    if let Some(name) = url.strip_prefix("memory:") {
        return Ok(StoreArg::Memory(Memory::named(name)?));
    }
    Ok(StoreArg::Http(Http::named(url)?))
}

/// Carries an ask from a dict to a store, and returns the grant as a dict.
pub fn answer<'py, A: Fields>(
    ask: &Bound<'py, PyAny>,
    of: impl FnOnce(A) -> Ask,
    carry: impl FnOnce(&Ask) -> Result<Grant, Failed>,
) -> PyResult<Bound<'py, PyDict>> {
    let wanted = of(dict::read(ask, "the ask")?);
    let grant = carry(&wanted)?;
    dict::written(ask.py(), |to| match &grant {
        Grant::Segment(grant) => grant.put(to),
        Grant::Window(grant) => grant.put(to),
    })
}
