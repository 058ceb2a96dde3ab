//! `leafid.MemoryStore`: a store in this process's memory.

use std::sync::Arc;

use leafid::stores::{Memory, Rows};
use leafid::{Error, driver};
use leafid_core::registry::{MAX_WINDOW_CAP_MS, TagSpec};
use leafid_core::{Code, Failure, Name, Refusal};
use leafid_wire::Subject;
use pyo3::prelude::*;

use crate::stores::native::NativeStore;
use crate::testing::PyClock;
use crate::values::{LayoutArg, OrRaise as _, Seconds, errors, whole_ms};

/// A store in memory: it creates tags and namespaces on first use, and forgets its grants when it
/// is dropped. In a forked child it raises `CLOSED`.
#[pyclass(frozen, extends = NativeStore, module = "leafid")]
pub struct MemoryStore {
    pub memory: Arc<Memory>,
}

#[pymethods]
impl MemoryStore {
    #[new]
    #[pyo3(signature = (*, clock = None))]
    fn new(clock: Option<PyRef<'_, PyClock>>) -> PyResult<PyClassInitializer<MemoryStore>> {
        let memory = Arc::new(Memory::new(PyClock::of(clock)).or_raise()?);
        let methods = NativeStore(Arc::clone(&memory) as _);
        Ok(PyClassInitializer::from(methods).add_subclass(MemoryStore { memory }))
    }

    /// The store's id: 32 hex digits.
    #[getter]
    fn id(&self) -> PyResult<String> {
        let id = self.call(Subject::Other("the store"), |rows| Ok(rows.id())).or_raise()?;
        Ok(String::from_utf8_lossy(&id.to_hex()).into_owned())
    }

    /// Creates a tag whose numbers begin at `start` and stay below `until`.
    #[pyo3(signature = (tag, *, start = None, step = None, max_step = None, until = None))]
    fn create_tag(
        &self,
        tag: &str,
        start: Option<u64>,
        step: Option<u32>,
        max_step: Option<u32>,
        until: Option<u64>,
    ) -> PyResult<()> {
        let spec = TagSpec { from: start, step, max_step, until };
        self.call(Subject::Tag(tag), |rows| rows.create_tag(Name::tag(tag)?, &spec)).or_raise()
    }

    /// Creates a namespace; windows are at most `max_window` seconds long.
    #[pyo3(signature = (namespace, *, layout = LayoutArg(leafid_core::Layout::LEAF), max_window = None),
           text_signature = "($self, namespace, *, layout=Layout.leaf, max_window=None)")]
    fn create_namespace(
        &self,
        namespace: &str,
        layout: LayoutArg,
        max_window: Option<Seconds>,
    ) -> PyResult<()> {
        let max_window_ms = max_window.map(|length| whole_ms("max_window", length)).transpose()?;
        let created = self.call(Subject::Namespace(namespace), |rows| {
            rows.create_namespace(Name::namespace(namespace)?, layout.0, max_window_ms)
        });
        created.map_err(|failed| match (failed.code(), max_window_ms) {
            (Code::RangeInvalid, Some(ms)) => {
                let (day, got) = (MAX_WINDOW_CAP_MS / 1_000, f64::from(ms) / 1_000.0);
                let message = format!("`max_window` must be 1 to {day} seconds, got `{got}`");
                errors::raise(failed.code(), message)
            }
            _ => errors::of(failed),
        })
    }
}

/// Begins a test, in which all generators of this process draw from `memory:NAME`, but for those on a `MemoryStore` of
/// their own; or ends it, after which that name stands for another store.
#[pyfunction]
pub fn set_test(py: Python<'_>, name: &str, begins: bool) -> PyResult<()> {
    let store = if begins { Some(Memory::named(name).or_raise()?) } else { None };
    if !begins {
        Memory::drop_named(name);
    }
    py.detach(|| driver::test(store.map(|store| store as _)));
    Ok(())
}

impl MemoryStore {
    fn call<T>(
        &self,
        subject: Subject<'_>,
        act: impl FnOnce(&mut Rows) -> Result<T, Refusal>,
    ) -> Result<T, Error> {
        self.memory.with(|rows| act(rows).map_err(|refusal| Failure::from(refusal.code)), subject)
    }
}
