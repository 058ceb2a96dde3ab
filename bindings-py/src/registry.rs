//! `leafid.registry`: the store's side of the protocol, over plain dicts.

use leafid_core::registry::{self, Candidates, Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{
    AcquireAsk, FieldReader, Fields, Grant, Name, Refusal, Release, RenewAsk, SegmentAsk, StoreTime,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::dict;
use crate::errors::{self, Failed};
use crate::memory::{Hex, granted};

/// A new row and the answer to send once it is durable.
type Verdict<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>);

/// Leases the next numbers of a tag: the row after it, and the answer.
#[pyfunction]
pub fn lease_segment<'py>(
    py: Python<'py>,
    store: Hex,
    row: &Bound<'py, PyAny>,
    ask: &Bound<'py, PyAny>,
    now_ms: i64,
) -> PyResult<Verdict<'py>> {
    let row: TagRow = read(row, "the row")?;
    let ask: SegmentAsk = read(ask, "the ask")?;
    let (row, grant) = registry::lease_segment(store.0, &row, &ask, StoreTime::new(now_ms))
        .map_err(|refusal| refused(py, refusal, now_ms, &format!("tag `{}`", ask.tag)))?;
    Ok((dict::written(py, |to| row.put(to))?, granted(py, &Grant::Segment(grant))?))
}

/// The row after an acquire, another row to write with it (or None), and the answer.
type Given<'py> = (Bound<'py, PyDict>, Option<Bound<'py, PyDict>>, Bound<'py, PyDict>);

/// Gives a worker number and a first window: its row (`worker` is its number), the row of another
/// number that this owner keeps no longer (or None; both are written in one step), and the answer.
/// `candidates` are rows with their `worker`, as far as they are there: `mine`, whose key is the
/// ask's request; `own` and `spare`, which this owner keeps; `rested`, a number that is free, or
/// will be first.
#[pyfunction]
pub fn acquire<'py>(
    py: Python<'py>,
    store: Hex,
    namespace: &Bound<'py, PyAny>,
    candidates: &Bound<'py, PyAny>,
    ask: &Bound<'py, PyAny>,
    now_ms: i64,
) -> PyResult<Given<'py>> {
    let namespace: Namespace = read(namespace, "the namespace")?;
    let candidates = dict::read_with(candidates, "the candidates", Candidates::get)
        .map_err(|failed| failed.raise(py))?;
    let ask: AcquireAsk = read(ask, "the ask")?;
    let acquired =
        registry::acquire(store.0, &namespace, &candidates, &ask, StoreTime::new(now_ms)).map_err(
            |refusal| refused(py, refusal, now_ms, &format!("namespace `{}`", ask.namespace)),
        )?;
    let freed = acquired.freed.map(|freed| row_of(py, &freed)).transpose()?;
    Ok((row_of(py, &acquired.worker)?, freed, granted(py, &Grant::Window(acquired.grant))?))
}

/// Extends a window: the row after it, and the answer.
#[pyfunction]
pub fn renew<'py>(
    py: Python<'py>,
    store: Hex,
    namespace: &Bound<'py, PyAny>,
    row: &Bound<'py, PyAny>,
    ask: &Bound<'py, PyAny>,
    now_ms: i64,
) -> PyResult<Verdict<'py>> {
    let namespace: Namespace = read(namespace, "the namespace")?;
    let row: WorkerRow = read(row, "the row")?;
    let ask: RenewAsk = read(ask, "the ask")?;
    let (row, grant) = registry::renew(store.0, &namespace, &row, &ask, StoreTime::new(now_ms))
        .map_err(|refusal| refused(py, refusal, now_ms, &about(ask.worker, &ask.namespace)))?;
    Ok((row_of(py, &(ask.worker, row))?, granted(py, &Grant::Window(grant))?))
}

/// Takes back what of a window was not used: the row after it, and the answer.
#[pyfunction]
#[pyo3(signature = (store, row, ask, now_ms = 0))]
pub fn release<'py>(
    py: Python<'py>,
    store: Hex,
    row: &Bound<'py, PyAny>,
    ask: &Bound<'py, PyAny>,
    now_ms: i64,
) -> PyResult<Verdict<'py>> {
    let row: WorkerRow = read(row, "the row")?;
    let ask: Release = read(ask, "the release")?;
    let row = registry::release(store.0, &row, &ask)
        .map_err(|refusal| refused(py, refusal, now_ms, &about(ask.worker, &ask.namespace)))?;
    Ok((row_of(py, &(ask.worker, row))?, PyDict::new(py)))
}

/// The row of a new tag (`tag`, `from`, `step`, `max_step`), or of one made anew over its tombstone.
#[pyfunction]
#[pyo3(signature = (spec, before = None))]
pub fn tag_row<'py>(
    py: Python<'py>,
    spec: &Bound<'py, PyAny>,
    before: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let before: Option<TagRow> = before.map(|row| read(row, "the row before")).transpose()?;
    let spec = dict::read_with(spec, "the tag", |from| {
        from.text("tag", Name::tag)?.transpose()?;
        Ok((from.big("from")?, from.small("step")?, from.small("max_step")?))
    });
    let (from, step, max_step) = spec.map_err(|failed| failed.raise(py))?;
    let row = TagRow::create(before.as_ref(), from, step, max_step)
        .map_err(|refusal| errors::refuse(py, refusal, "the tag"))?;
    dict::written(py, |to| row.put(to))
}

/// The row of a new namespace (`namespace`, `layout`, `workers`, `max_window_ms`).
#[pyfunction]
pub fn namespace_row<'py>(
    py: Python<'py>,
    spec: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let row = dict::read_with(spec, "the namespace", |from| {
        from.text("namespace", Name::namespace)?.transpose()?;
        Namespace::get(from)
    });
    let row = row.map_err(|failed| failed.raise(py))?;
    dict::written(py, |to| row.put(to))
}

fn about(worker: u32, namespace: &impl std::fmt::Display) -> String {
    format!("worker {worker} of namespace `{namespace}`")
}

fn read<T: Fields>(value: &Bound<'_, PyAny>, what: &str) -> PyResult<T> {
    dict::read(value, what).map_err(|failed| failed.raise(value.py()))
}

fn row_of<'py>(py: Python<'py>, row: &Worker) -> PyResult<Bound<'py, PyDict>> {
    dict::written(py, |to| row.put(to))
}

fn refused(py: Python<'_>, refusal: Refusal<StoreTime>, now_ms: i64, about: &str) -> PyErr {
    let wait = refusal.until.map(|until| until.since(StoreTime::new(now_ms)).max(0));
    let retry_after_ms = wait.and_then(|ms| u32::try_from(ms).ok());
    let until_ms = refusal.until.map(StoreTime::get);
    Failed { until_ms, retry_after_ms, ..Failed::about(refusal.code.into(), about) }.raise(py)
}
