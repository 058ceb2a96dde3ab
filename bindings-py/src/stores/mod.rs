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

use leafid::stores::{Backend, Http, Memory};
use leafid_core::{Code, Range};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::values::{OrRaise as _, errors, outside, utf8};

/// The environment variable with the default store's URL.
const VARIABLE: &str = "LEAFID_STORE";

/// A resolved `store` argument.
pub enum StoreArg {
    Http(Arc<Http>),
    Memory(Arc<Memory>),
    /// A user's own object.
    User(Arc<UserStore>),
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
            return Ok(StoreArg::Http(Arc::clone(&store.get().http)));
        }
        if let Ok(store) = store.cast::<MemoryStore>() {
            return Ok(StoreArg::Memory(Arc::clone(&store.get().memory)));
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
        Ok(StoreArg::User(UserStore::of(store)))
    }

    /// Creates a tag or a namespace if it does not exist (`verb` is `create_tag` or `create_namespace`):
    /// our stores in a file or a database do so later, before their first grant; a user's own at once.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a store that only commands can do this in; the store's own.
    pub fn make(&self, verb: &str, name: &str, how: &Bound<'_, PyDict>) -> PyResult<()> {
        how.set_item("if_missing", true)?;
        if let StoreArg::User(own) = self {
            let store = own.store.bind(how.py());
            if store.hasattr("make_later")? {
                return outside::call_method(store, "make_later", (verb, name, how), None)
                    .map(drop);
            }
            if store.hasattr(verb)? {
                return outside::call_method(store, verb, (name,), Some(how)).map(drop);
            }
        }
        if matches!(self, StoreArg::Memory(_)) {
            return Ok(());
        }
        let kind = verb.trim_start_matches("create_");
        let message = format!(
            "`create=True` is for stores in a file or a database; in this one create it by \
             command: leafid {kind} create {name}"
        );
        Err(errors::raise(Code::RequestInvalid, message))
    }

    /// Checks that a namespace can be created here with a range of worker numbers.
    ///
    /// # Errors
    /// `WORKER_INVALID` where the store or its operator sets the range.
    pub fn takes_workers(&self, namespace: &str, workers: Range) -> PyResult<()> {
        let Range { start, end } = workers;
        let message = match self {
            StoreArg::User(_) => return Ok(()),
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

    /// The store, whatever it is.
    pub fn any(self) -> Arc<dyn Backend> {
        match self {
            StoreArg::Http(http) => http,
            StoreArg::Memory(memory) => memory,
            StoreArg::User(own) => own,
        }
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
        return Ok(StoreArg::User(UserStore::of(&sql::open(py, url, create, workers)?)));
    }
    if let Some(name) = url.strip_prefix("memory:") {
        return Ok(StoreArg::Memory(Memory::named(name).or_raise()?));
    }
    Ok(StoreArg::Http(Http::named(url).or_raise()?))
}
