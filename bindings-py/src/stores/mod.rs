//! The `store` argument: a URL, one of our stores, or any object with the methods.

mod http;
mod memory;
mod native;
mod sql;
mod time;
mod turn;
mod user_store;

pub use http::HttpStore;
pub use memory::{MemoryStore, drop_memory};
pub use sql::{abandon, absence, mysql_kind, namespace_fields, postgres_kind, process, sql_texts};
pub use time::PyStoreTime;
pub use turn::{decide, journal_folder, note};
pub use user_store::{UserStore, failed};

use std::sync::Arc;

use leafid::stores::{Backend, Http, Make, Memory};
use leafid_core::{Code, Range};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use native::NativeStore;

use crate::values::{OrRaise as _, PyLayout, errors, outside, utf8};

/// The environment variable with the default store's URL.
const VARIABLE: &str = "LEAFID_STORE";

/// A resolved `store` argument.
pub struct StoreArg {
    pub store: Arc<dyn Backend>,
    /// If it is a user's own object.
    own: Option<Arc<UserStore>>,
}

impl StoreArg {
    fn of(store: &Bound<'_, PyAny>) -> StoreArg {
        let own = UserStore::of(store);
        StoreArg { store: Arc::clone(&own) as _, own: Some(own) }
    }

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
        if let Ok(NativeStore(store)) = store.cast().map(Bound::get) {
            return Ok(StoreArg { store: Arc::clone(store), own: None });
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
        Ok(StoreArg::of(store))
    }

    /// Creates a tag or a namespace if it does not exist: our stores in a file or a database do so later, before their
    /// first grant; a user's own at once.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a store that only commands can do this in, `WORKER_INVALID` where its operator sets the
    /// range of worker numbers; the store's own.
    pub fn make(&self, py: Python<'_>, make: Make) -> PyResult<()> {
        let how = PyDict::new(py);
        how.set_item("if_missing", true)?;
        let (verb, name) = match &make {
            Make::Tag(tag) => ("create_tag", tag),
            Make::Namespace(name, layout, workers) => {
                how.set_item("layout", layout.map(PyLayout))?;
                if let Some(workers) = workers {
                    how.set_item("workers", (workers.start, workers.end))?;
                }
                ("create_namespace", name)
            }
        };
        if let Some(own) = &self.own {
            let store = own.store.bind(py);
            if store.hasattr("make_later")? {
                return outside::call_method(store, "make_later", (verb, name, how), None)
                    .map(drop);
            }
            if store.hasattr(verb)? {
                return outside::call_method(store, verb, (name,), Some(&how)).map(drop);
            }
        }
        self.store.make(make).or_raise()
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
        return Ok(StoreArg::of(&sql::open(py, url, create, workers)?));
    }
    let store: Arc<dyn Backend> = match url.strip_prefix("memory:") {
        Some(name) => Memory::named(name).or_raise()?,
        None => Http::named(url).or_raise()?,
    };
    Ok(StoreArg { store, own: None })
}
