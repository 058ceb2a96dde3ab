//! The `store` argument: a URL, one of our stores, or any object with the methods.

mod http;
mod memory;
mod native;
mod sql;
mod time;
mod turn;
mod user_store;

pub use http::HttpStore;
pub use memory::{MemoryStore, set_test};
pub use sql::{abandon, absence, mysql_kind, namespace_fields, postgres_kind, process, sql_texts};
pub use time::PyStoreTime;
pub use turn::{decide, journal_folder, note};
pub use user_store::{Hold, UserStore, failed};

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use leafid::driver::Chosen;
use leafid::stores::{Backend, Http, Make, Memory};
use leafid_core::{Code, Range};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use native::NativeStore;

use crate::values::{OrRaise as _, PyLayout, errors, outside, utf8};

/// The environment variable with the default store's URL.
const VARIABLE: &str = "LEAFID_STORE";

/// A store that was looked up.
struct Resolved<'py> {
    store: Arc<dyn Backend>,
    /// If it is an object of Python.
    own: Option<Bound<'py, PyAny>>,
}

/// What a generator needs of its store.
#[derive(Clone)]
pub struct Needs {
    pub verbs: &'static [&'static str],
    /// The tag or namespace to create if it is missing.
    pub make: Option<Make>,
    /// The range of worker numbers of the namespace `default` of a store that is made.
    pub workers: Option<Range>,
}

/// The store of a `store` argument; without one that of the environment, which is read with the first ask.
///
/// # Errors
/// `REQUEST_INVALID` for a text that is no URL of a store; `TypeError` for an object that lacks a
/// method; where it is to be made those of [`Resolved::made`].
pub fn chosen(
    store: Option<&Bound<'_, PyAny>>,
    needs: Needs,
) -> PyResult<(Chosen, Option<Arc<Hold>>)> {
    let Some(store) = store else {
        let chosen = Chosen::later(move || {
            outside::attached(|py| {
                let resolved = from_environment(py, &needs);
                resolved.map_err(|error| failed(py, VARIABLE, error))
            })
        });
        return Ok((chosen, None));
    };
    let py = store.py();
    if let Ok(url) = store.cast::<PyString>() {
        return Ok((Chosen::given(from_url(py, &utf8(url)?, &needs)?, false), None));
    }
    if let Ok(NativeStore(native)) = store.cast().map(Bound::get) {
        let store = Resolved { store: Arc::clone(native), own: None }.made(py, &needs)?;
        // One in memory is a test's own.
        let stays = store.place().is_none();
        return Ok((Chosen::given(store, stays), None));
    }
    for verb in needs.verbs {
        if !store.hasattr(*verb)? {
            let kind = store.get_type().name()?;
            let message = format!(
                "`{kind}` has no `{verb}`: a store is a URL, an `HttpStore`, a `SqliteStore`, a `SqlStore`, a \
                 `MemoryStore`, or an object with the methods `{}`",
                needs.verbs.join("`, `")
            );
            return Err(errors::wrong_type(message));
        }
    }
    let (own, hold) = UserStore::of(store);
    let resolved = Resolved { store: own, own: Some(store.clone()) };
    Ok((Chosen::given(resolved.made(py, &needs)?, false), Some(hold)))
}

impl Resolved<'_> {
    /// Creates a tag or a namespace if it does not exist: our stores in a file or a database do so later, before their
    /// first grant; a user's own at once.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a store that only commands can do this in, `WORKER_INVALID` where its operator sets the
    /// range of worker numbers; the store's own.
    fn made(self, py: Python<'_>, needs: &Needs) -> PyResult<Arc<dyn Backend>> {
        let Some(make) = needs.make.clone() else { return Ok(self.store) };
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
        if let Some(store) = &self.own {
            if store.hasattr("make_later")? {
                outside::call_method(store, "make_later", (verb, name, how), None)?;
                return Ok(self.store);
            }
            if store.hasattr(verb)? {
                outside::call_method(store, verb, (name,), Some(&how))?;
                return Ok(self.store);
            }
        }
        self.store.make(make).or_raise()?;
        Ok(self.store)
    }
}

/// The folder in which the package was imported: a relative path in the environment means a file there.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Notes the folder of the import.
pub fn note_folder() {
    // Without one, a relative path cannot be opened either.
    let _ = FOLDER.set(std::env::current_dir().unwrap_or_default());
}

fn from_environment(py: Python<'_>, needs: &Needs) -> PyResult<Arc<dyn Backend>> {
    // Text that is not UTF-8 is refused as a URL; it does not count as unset.
    let url = std::env::var_os(VARIABLE).unwrap_or_default();
    let url = url.to_string_lossy();
    if url.is_empty() {
        return Err(errors::raise(
            Code::RequestInvalid,
            format!(
                "no store was given: pass `store=\"http://127.0.0.1:8750\"` (or `\"memory:\"` in a test), \
                 or set `{VARIABLE}` to such a URL"
            ),
        ));
    }
    match (url.strip_prefix("sqlite:"), FOLDER.get()) {
        (Some(path), Some(folder)) if !path.is_empty() => {
            from_url(py, &format!("sqlite:{}", folder.join(path).display()), needs)
        }
        _ => from_url(py, &url, needs),
    }
}

fn from_url(py: Python<'_>, url: &str, needs: &Needs) -> PyResult<Arc<dyn Backend>> {
    if sql::is_ours(url) {
        let store = sql::open(py, url, needs.make.is_some(), needs.workers)?;
        let (own, hold) = UserStore::of(&store);
        own.keep(hold);
        return Resolved { store: own, own: Some(store) }.made(py, needs);
    }
    let store: Arc<dyn Backend> = match url.strip_prefix("memory:") {
        Some(name) => Memory::named(name).or_raise()?,
        None => Http::named(url).or_raise()?,
    };
    Resolved { store, own: None }.made(py, needs)
}
