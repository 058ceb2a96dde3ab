//! Which store a caller means: a URL, one of ours, or any object with the methods.

use std::sync::Arc;

use leafid_core::Code;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors;
use crate::http::{Http, HttpStore};
use crate::memory::{MemoryStore, Shelf};

/// The default store is a URL in this variable.
const VARIABLE: &str = "LEAFID_STORE";

/// Where ranges come from.
pub enum StoreArg {
    /// A server.
    Http(Arc<Http>),
    /// This process's memory.
    Memory(Arc<Shelf>),
    /// A user's own object.
    Object(Py<PyAny>),
}

impl StoreArg {
    /// What a caller means who needs these methods of it.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for no store and for a text that is no URL of one; `TypeError` for an
    /// object that lacks a method.
    pub fn resolve(
        py: Python<'_>,
        store: Option<&Bound<'_, PyAny>>,
        verbs: &[&str],
    ) -> PyResult<StoreArg> {
        let Some(store) = store else { return from_environment(py) };
        if let Ok(url) = store.cast::<PyString>() {
            return from_url(py, &url.to_cow()?);
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
                    "a store is a URL, an `HttpStore`, a `MemoryStore` or an object with the \
                     methods {verbs:?}; `{kind}` has no `{verb}`"
                );
                return Err(PyTypeError::new_err(message));
            }
        }
        Ok(StoreArg::Object(store.clone().unbind()))
    }
}

fn from_environment(py: Python<'_>) -> PyResult<StoreArg> {
    match std::env::var(VARIABLE) {
        Ok(url) if !url.is_empty() => from_url(py, &url),
        _ => Err(errors::raise(
            py,
            Code::RequestInvalid,
            format!(
                "no store: pass `store=\"http://127.0.0.1:8750\"` (or `\"memory:\"` in a test), or set \
                 `{VARIABLE}` to such a URL"
            ),
        )),
    }
}

fn from_url(py: Python<'_>, url: &str) -> PyResult<StoreArg> {
    if let Some(name) = url.strip_prefix("memory:") {
        return Ok(StoreArg::Memory(Shelf::named(name)?));
    }
    let http = Http::new(url, None).map_err(|failed| failed.raise(py))?;
    Ok(StoreArg::Http(Arc::new(http)))
}
