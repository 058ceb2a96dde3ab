//! A store in this process's memory, for tests, examples and single processes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use leafid_core::{Ask, Code, Failure, Fields, Grant, Name, Refusal, Release, Store, StoreTime};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::clock::{Clock, TestClock};
use crate::dict;
use crate::errors::{self, Failed};
use crate::guard::{self, Generation};
use crate::layout::LayoutArg;
use crate::random;
use crate::transport::Transport;

/// 256 tags, 8 namespaces of 64 worker numbers.
type Rows = leafid_core::MemoryStore<256, 8, 64>;

/// The rows, whose process they are, and the wall clock that they are given at each lease.
pub struct Shelf {
    rows: Mutex<Box<Rows>>,
    made_in: Generation,
    clock: Clock,
}

/// The stores that were named by `memory:NAME`. The lock is held only by whoever holds the
/// interpreter.
static NAMED: Mutex<BTreeMap<String, Arc<Shelf>>> = Mutex::new(BTreeMap::new());

impl Shelf {
    /// The store of this process with this name, which its first use makes.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn named(name: &str) -> PyResult<Arc<Shelf>> {
        let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shelf) = named.get(name) {
            return Ok(Arc::clone(shelf));
        }
        let shelf = Arc::new(Shelf::new(Clock::given(None))?);
        named.insert(name.to_owned(), Arc::clone(&shelf));
        Ok(shelf)
    }

    fn new(clock: Clock) -> PyResult<Shelf> {
        let rows = Mutex::new(Box::new(Rows::new(random::entropy()?)));
        Ok(Shelf { rows, made_in: guard::current(), clock })
    }

    /// Does something with the rows, at the wall clock's time.
    ///
    /// # Errors
    /// `CLOSED` in a forked child, whose copy would grant what the parent's grants.
    fn with<T>(
        &self,
        act: impl FnOnce(&mut Rows) -> Result<T, Failure>,
        about: &str,
    ) -> Result<T, Failed> {
        if !guard::is_current(self.made_in) {
            let message = "a memory store belongs to the process that made it, and this is a \
                           forked child: make one here, or use a store that both can reach";
            return Err(Failed::new(Code::Closed, message));
        }
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.set_clock(StoreTime::new(self.clock.wall().get()));
        act(&mut rows).map_err(|failure| Failed::of_store(failure, about))
    }
}

impl Transport for Arc<Shelf> {
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Failed> {
        self.with(|rows| rows.ask(ask), &about(ask))
    }

    fn release(&mut self, release: &Release) {
        // A closing holder has nothing to do about a release that failed.
        let _ = self.with(|rows| rows.release(release), "the release");
    }

    fn reconnect(&mut self) {}
}

fn about(ask: &Ask) -> String {
    match ask {
        Ask::Segment(ask) => format!("tag `{}`", ask.tag),
        Ask::Acquire(ask) => format!("namespace `{}`", ask.namespace),
        Ask::Renew(ask) => format!("worker {} of namespace `{}`", ask.worker, ask.namespace),
    }
}

/// A store in memory: it creates tags and namespaces on first use, and what it granted is gone
/// with it. In a forked child it raises `CLOSED`.
#[pyclass(frozen, module = "leafid")]
pub struct MemoryStore(pub Arc<Shelf>);

#[pymethods]
impl MemoryStore {
    #[new]
    #[pyo3(signature = (*, clock = None))]
    fn new(clock: Option<PyRef<'_, TestClock>>) -> PyResult<MemoryStore> {
        Ok(MemoryStore(Arc::new(Shelf::new(Clock::given(clock))?)))
    }

    /// Its id: 32 hex digits.
    #[getter]
    fn id(&self, py: Python<'_>) -> PyResult<String> {
        let id = self.call(py, "", |rows| Ok(rows.id()))?;
        Ok(String::from_utf8_lossy(&id.to_hex()).into_owned())
    }

    /// Creates a tag whose numbers begin at `start`.
    #[pyo3(signature = (tag, *, start = None, step = None, max_step = None))]
    fn create_tag(
        &self,
        py: Python<'_>,
        tag: &str,
        start: Option<u64>,
        step: Option<u32>,
        max_step: Option<u32>,
    ) -> PyResult<()> {
        self.call(py, &format!("tag `{tag}`"), |rows| {
            rows.create_tag(Name::tag(tag)?, start, step, max_step)
        })
    }

    /// Creates a namespace; windows are at most `max_window` seconds long.
    #[pyo3(signature = (namespace, *, layout = LayoutArg(leafid_core::Layout::LEAF), max_window = None),
           text_signature = "($self, namespace, *, layout=Layout.leaf, max_window=None)")]
    fn create_namespace(
        &self,
        py: Python<'_>,
        namespace: &str,
        layout: LayoutArg,
        max_window: Option<f64>,
    ) -> PyResult<()> {
        let max_window_ms = max_window.map(|seconds| (seconds * 1_000.0).round() as u32);
        self.call(py, &format!("namespace `{namespace}`"), |rows| {
            rows.create_namespace(Name::namespace(namespace)?, layout.0, max_window_ms)
        })
    }

    /// Leases numbers of a tag.
    fn lease_segment<'py>(&self, ask: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        self.serve(ask, Ask::Segment)
    }

    /// Gives a worker number and a window on it.
    fn acquire<'py>(&self, ask: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        self.serve(ask, Ask::Acquire)
    }

    /// Extends a window.
    fn renew<'py>(&self, ask: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        self.serve(ask, Ask::Renew)
    }

    /// Takes back the rest of a window.
    fn release<'py>(&self, ask: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = ask.py();
        let release: Release = dict::read(ask, "the release").map_err(|failed| failed.raise(py))?;
        self.0
            .with(|rows| rows.release(&release), "the release")
            .map_err(|failed| failed.raise(py))?;
        Ok(PyDict::new(py))
    }
}

impl MemoryStore {
    fn call<T>(
        &self,
        py: Python<'_>,
        about: &str,
        act: impl FnOnce(&mut Rows) -> Result<T, Refusal>,
    ) -> PyResult<T> {
        self.0
            .with(|rows| act(rows).map_err(|refusal| Failure::from(refusal.code)), about)
            .map_err(|failed| failed.raise(py))
    }

    fn serve<'py, A: Fields>(
        &self,
        ask: &Bound<'py, PyAny>,
        of: impl FnOnce(A) -> Ask,
    ) -> PyResult<Bound<'py, PyDict>> {
        let py = ask.py();
        let ask = of(dict::read(ask, "the ask").map_err(|failed| failed.raise(py))?);
        let grant =
            self.0.with(|rows| rows.ask(&ask), &about(&ask)).map_err(|failed| failed.raise(py))?;
        granted(py, &grant)
    }
}

/// The dict of a grant.
///
/// # Errors
/// What Python raises when it has no memory.
pub fn granted<'py>(py: Python<'py>, grant: &Grant) -> PyResult<Bound<'py, PyDict>> {
    dict::written(py, |to| match grant {
        Grant::Segment(grant) => grant.put(to),
        Grant::Window(grant) => grant.put(to),
    })
}

/// 16 bytes as callers write them: `bytes`, or 32 hex digits.
pub struct Hex(pub leafid_core::Token);

impl Hex {
    /// The 32 digits.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.to_hex()).into_owned()
    }
}

impl<'py> FromPyObject<'_, 'py> for Hex {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Hex> {
        let py = value.py();
        let token = match value.cast::<PyBytes>() {
            Ok(bytes) => <[u8; 16]>::try_from(bytes.as_bytes()).ok().map(leafid_core::Token::new),
            Err(_) => leafid_core::Token::parse(&value.cast::<PyString>()?.to_cow()?).ok(),
        };
        token.map(Hex).ok_or_else(|| {
            errors::raise(
                py,
                Code::RequestInvalid,
                "a token is 16 bytes, or 32 lower-case hex digits",
            )
        })
    }
}
