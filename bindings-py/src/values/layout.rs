//! `leafid.Layout`: how the parts of a snowflake share its bits.

use std::sync::OnceLock;

use leafid_core::{Code, Layout, Refusal};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyTuple};

use crate::values::{Moment, Nearest, errors, outside, whole_number};

static PARTS: OnceLock<Py<PyAny>> = OnceLock::new();

/// Epoch, tick length and the widths of time, worker and sequence: at most 63 bits together.
///
/// Presets: `Layout.leaf` (41/10/12, 1 ms), `Layout.edge` (41/16/6, 1 ms), `Layout.long`
/// (39/16/8, 10 ms), `Layout.js53` (39/8/6, 10 ms).
#[pyclass(frozen, eq, hash, name = "Layout", module = "leafid")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PyLayout(pub Layout);

#[pymethods]
#[expect(non_upper_case_globals, reason = "they are Python's names")]
impl PyLayout {
    #[new]
    #[pyo3(signature = (*, epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits))]
    fn new(
        epoch_ms: Nearest,
        tick_ms: Nearest,
        time_bits: Nearest,
        worker_bits: Nearest,
        sequence_bits: Nearest,
    ) -> PyResult<PyLayout> {
        let [epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits] =
            [epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits].map(|Nearest(n)| n);
        let made = || {
            let bits = |bits| u8::try_from(bits).ok();
            let (time, worker, sequence) =
                (bits(time_bits)?, bits(worker_bits)?, bits(sequence_bits)?);
            Layout::new(epoch_ms, u32::try_from(tick_ms).ok()?, time, worker, sequence).ok()
        };
        made().map(PyLayout).ok_or_else(|| {
            let message = format!(
                "layout `{time_bits}/{worker_bits}/{sequence_bits}` with ticks of `{tick_ms}` ms \
                 from `{epoch_ms}` ms is not valid: use 1 time bit or more, at most 32 worker bits, \
                 at most 63 bits together, ticks of 1 ms to a day, and an epoch from 1970 on"
            );
            errors::raise(Code::LayoutInvalid, message)
        })
    }

    #[classattr]
    const leaf: PyLayout = PyLayout(Layout::LEAF);
    #[classattr]
    const edge: PyLayout = PyLayout(Layout::EDGE);
    #[classattr]
    const long: PyLayout = PyLayout(Layout::LONG);
    #[classattr]
    const js53: PyLayout = PyLayout(Layout::JS53);

    /// The beginning of time, in ms since 1970.
    #[getter]
    fn epoch_ms(&self) -> i64 {
        self.0.epoch_ms()
    }

    /// The length of a tick, in ms.
    #[getter]
    fn tick_ms(&self) -> u32 {
        self.0.tick_ms()
    }

    /// The width of the time, in bits.
    #[getter]
    fn time_bits(&self) -> u8 {
        self.0.time_bits()
    }

    /// The width of the worker number, in bits.
    #[getter]
    fn worker_bits(&self) -> u8 {
        self.0.worker_bits()
    }

    /// The width of the sequence, in bits.
    #[getter]
    fn sequence_bits(&self) -> u8 {
        self.0.sequence_bits()
    }

    /// The last moment that fits, in ms since 1970.
    #[getter]
    fn last_ms(&self) -> i64 {
        self.0.last().get()
    }

    /// The number of IDs that one worker can make in a second.
    #[getter]
    fn per_second(&self) -> u64 {
        self.0.per_second()
    }

    /// The number of worker numbers.
    #[getter]
    fn workers(&self) -> u64 {
        self.0.workers()
    }

    /// The ID of a moment (ms since 1970, or a `datetime`), a worker and a sequence number.
    fn compose(
        &self,
        time: Moment,
        worker: &Bound<'_, PyAny>,
        sequence: &Bound<'_, PyAny>,
    ) -> PyResult<u64> {
        let (workers, per_tick) = (self.0.workers(), self.0.per_tick());
        let worker = whole_number("worker", worker, 0, workers - 1, Code::WorkerInvalid)?;
        let sequence = whole_number("sequence", sequence, 0, per_tick - 1, Code::RangeInvalid)?;
        let id = self.0.compose(time.0, worker as u32, sequence);
        id.map_err(|refusal| self.overflow(refusal, time))
    }

    /// Splits an ID into its parts.
    pub fn decompose<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = id.py();
        let id = whole_number("id", id, 0, u64::MAX, Code::IdInvalid)?;
        let parts = self.0.decompose(id).map_err(|refusal| {
            let message = format!("ID `{id}` has more bits than this layout: name its own layout");
            errors::raise(refusal.code, message)
        })?;
        let class = outside::once(&PARTS, || {
            outside::of_module(py, "leafid._values", "Parts").map(Bound::unbind)
        })?;
        let parts = (parts.time.get(), parts.tick, parts.worker, parts.sequence);
        outside::call(class.bind(py), parts, None)
    }

    /// The smallest ID of a moment: the lower bound of a range query.
    fn first_id(&self, time: Moment) -> PyResult<u64> {
        self.0.first_id(time.0).map_err(|refusal| self.overflow(refusal, time))
    }

    /// The largest ID of a moment: the inclusive upper bound of a range query.
    fn last_id(&self, time: Moment) -> PyResult<u64> {
        self.0.last_id(time.0).map_err(|refusal| self.overflow(refusal, time))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let fields = self.fields(py)?.into_iter();
        let fields: Vec<_> = fields.map(|(name, value)| format!("{name}={value}")).collect();
        Ok(format!("Layout({})", fields.join(", ")))
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), self.fields(py)?))
    }
}

impl PyLayout {
    /// The arguments of the constructor, in a dict.
    pub fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        [
            ("epoch_ms", self.0.epoch_ms()),
            ("tick_ms", self.0.tick_ms().into()),
            ("time_bits", self.0.time_bits().into()),
            ("worker_bits", self.0.worker_bits().into()),
            ("sequence_bits", self.0.sequence_bits().into()),
        ]
        .into_py_dict(py)
    }

    fn overflow(&self, refusal: Refusal, time: Moment) -> PyErr {
        let (from, to, ms) = (self.0.epoch_ms(), self.0.last().get(), time.0.get());
        let message = format!("`time` must be {from} to {to} ms since 1970, got `{ms}`");
        errors::raise(refusal.code, message)
    }
}
