//! `Snowflake`: time, worker and sequence, inside leased windows.

use std::sync::Arc;

use leafid_core::{Code, Refusal, SharedLine, SnowflakeConfig, Snowflakes};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::clock::{Clock, TestClock};
use crate::errors;
use crate::generator::{Generator, Plan};
use crate::kind::Kind;
use crate::layout::LayoutArg;
use crate::owner;
use crate::store::StoreArg;
use crate::verbs::generator_class;
use crate::wait::checked_timeout;

/// Windows.
pub struct Windows {
    config: SnowflakeConfig,
    owner_is_given: bool,
}

impl Kind for Windows {
    type Core = Snowflakes;
    const READS_CLOCK: bool = true;
    const VERBS: &'static [&'static str] = &["acquire", "renew", "release"];

    fn build(
        &self,
        seed: u64,
        line: Arc<SharedLine>,
    ) -> Result<leafid_core::Generator<Snowflakes, Arc<SharedLine>>, Refusal> {
        let mut config = self.config;
        if !self.owner_is_given {
            // A forked child is another process.
            config.owner = owner::name()?;
        }
        leafid_core::Snowflake::with_line(config, seed, line)
    }

    fn about(&self) -> String {
        format!("namespace `{}`", self.config.namespace)
    }
}

/// Stamps IDs with the store's time and a leased worker number, ascending within this generator.
///
/// `store` is a URL, an `HttpStore`, a `MemoryStore` or any object with the methods
/// `acquire(ask)`, `renew(ask)` and `release(ask)`; the environment variable `LEAFID_STORE`, if
/// not said. `owner` is the label of this holder (`hostname/pid`); `layout` the one that is
/// counted on (the namespace's own, if not said); `length` how many seconds of window to ask for
/// at most (all that the namespace allows): an outage of the store is survived for as long, but
/// no longer than twice as long as the generator has lived, or 10 s; `max_ahead` how many seconds
/// IDs may run ahead of the clock in a burst; a fresh tick's sequence begins below `spread`;
/// `timeout` is how many seconds a call waits at most. Nothing is leased before the first ID.
#[pyclass(frozen, weakref, module = "leafid")]
pub struct Snowflake(Generator<Windows>);

generator_class!(Snowflake, {
    #[new]
    #[pyo3(signature = (namespace = "default", store = None, *, owner = None, layout = None,
        length = None, max_ahead = 1.0, spread = None, timeout = 10.0, worker = None,
        workers = None, clock = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python constructor")]
    fn new(
        py: Python<'_>,
        namespace: &str,
        store: Option<&Bound<'_, PyAny>>,
        owner: Option<&str>,
        layout: Option<LayoutArg>,
        length: Option<f64>,
        max_ahead: f64,
        spread: Option<u32>,
        timeout: f64,
        worker: Option<&Bound<'_, PyAny>>,
        workers: Option<&Bound<'_, PyAny>>,
        clock: Option<PyRef<'_, TestClock>>,
    ) -> PyResult<Snowflake> {
        if worker.is_some() || workers.is_some() {
            return Err(errors::raise(py, Code::WorkerInvalid, by_hand(namespace)));
        }
        let about = format!("namespace `{namespace}`");
        let refuse = |refusal| errors::refuse(py, refusal, &about);
        // The label of this process is drawn up when the generator is built, in each process.
        let mut config = SnowflakeConfig::new(namespace, owner.unwrap_or("-")).map_err(refuse)?;
        config.layout = layout.map(|layout| layout.0);
        config.length_ms = length.map(|length| ms("length", length)).transpose()?;
        config.max_ahead_ms = ms("max_ahead", max_ahead)?;
        config.spread = spread;
        let store = StoreArg::resolve(py, store, Windows::VERBS)?;
        let (clock, timeout) = (Clock::given(clock), checked_timeout(timeout)?);
        let kind = Windows { config, owner_is_given: owner.is_some() };
        Generator::new(Plan { kind, store, clock, timeout }).map(Snowflake)
    }

    /// The namespace.
    #[getter]
    fn namespace(&self) -> &str {
        self.0.plan.kind.config.namespace.as_str()
    }

    fn __repr__(&self) -> String {
        format!("Snowflake({:?})", self.namespace())
    }
});

fn by_hand(namespace: &str) -> String {
    format!(
        "worker numbers given by hand need a store that keeps windows on this machine, which this \
         version does not have; let a store give the number: \
         `Snowflake(\"{namespace}\", store=\"http://127.0.0.1:8750\")`"
    )
}

/// Whole ms of a length in s.
fn ms(what: &str, seconds: f64) -> PyResult<u32> {
    let ms = (seconds * 1_000.0).round();
    if (0.0..=f64::from(u32::MAX)).contains(&ms) {
        return Ok(ms as u32);
    }
    Err(PyValueError::new_err(format!(
        "`{what}` is a number of seconds from 0 on, not `{seconds}`"
    )))
}
