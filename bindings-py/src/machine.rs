//! A generator without a store, a thread or a clock: every verb takes the time, and asks and
//! grants are plain dicts. What the vectors drive.

use leafid_core::{
    Ask, Carryover, Code, FieldReader, Fields, Grant, HostTime, Outcome, Refusal, Segment,
    SegmentConfig, SegmentGrant, Snowflake, SnowflakeConfig, Stats, WindowGrant,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::dict;
use crate::errors;
use crate::memory::Hex;

enum Either {
    Segment(Box<Segment>),
    Snowflake(Box<Snowflake>),
}

/// The same verb of whichever it is.
macro_rules! both {
    ($self:ident, $generator:ident => $act:expr) => {
        match &mut *$self.lock() {
            Either::Segment($generator) => $act,
            Either::Snowflake($generator) => $act,
        }
    };
}

/// A generator, sans-I/O: `kind` is `segment` or `snowflake`, `config` a dict, `seed` 64 bits.
/// Every `at` is the host's clock in ms.
#[pyclass(frozen, name = "Generator", module = "leafid.testing")]
pub struct Machine(Mutex<Either>);

impl Machine {
    fn lock(&self) -> MutexGuard<'_, Either> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Machine {
    #[new]
    fn new(kind: &str, config: &Bound<'_, PyAny>, seed: u64) -> PyResult<Machine> {
        let py = config.py();
        let built = match kind {
            "segment" => dict::read_with(config, "the config", |from| {
                Segment::new(SegmentConfig::get(from)?, seed).map(Box::new).map(Either::Segment)
            }),
            "snowflake" => dict::read_with(config, "the config", |from| {
                Snowflake::new(SnowflakeConfig::get(from)?, seed)
                    .map(Box::new)
                    .map(Either::Snowflake)
            }),
            other => {
                return Err(PyValueError::new_err(format!(
                    "`{other}` is neither segment nor snowflake"
                )));
            }
        };
        built.map(Mutex::new).map(Machine).map_err(|failed| failed.raise(py))
    }

    fn next(&self, py: Python<'_>, at: i64) -> PyResult<u64> {
        refused(py, both!(self, generator => generator.next(HostTime::new(at))))
    }

    fn fill(&self, py: Python<'_>, at: i64, n: usize) -> PyResult<Vec<u64>> {
        let mut ids = vec![0; n];
        refused(py, both!(self, generator => generator.fill(HostTime::new(at), &mut ids)))?;
        Ok(ids)
    }

    fn fill_available(&self, py: Python<'_>, at: i64, n: usize) -> PyResult<Vec<u64>> {
        let mut ids = vec![0; n];
        let filled =
            both!(self, generator => generator.fill_available(HostTime::new(at), &mut ids));
        ids.truncate(refused(py, filled)?);
        Ok(ids)
    }

    fn ready(&self, py: Python<'_>, at: i64, n: u64) -> PyResult<bool> {
        refused(py, both!(self, generator => generator.ready(HostTime::new(at), n))).map(|()| true)
    }

    fn wants_ask(&self, at: i64) -> bool {
        both!(self, generator => generator.wants_ask(HostTime::new(at)))
    }

    fn poll_at(&self) -> Option<i64> {
        both!(self, generator => generator.poll_at()).map(HostTime::get)
    }

    fn poll_ask<'py>(
        &self,
        py: Python<'py>,
        at: i64,
        entropy: Hex,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let entropy = entropy.0.bytes();
        let ask: Option<Ask> =
            both!(self, generator => generator.poll_ask(HostTime::new(at), entropy));
        ask.map(|ask| dict::written(py, |to| ask.put(to))).transpose()
    }

    /// Applies an answer: `applied`, `ignored`, or the release to send. One that cannot be read
    /// raises `GRANT_INVALID`: tell it as a `failure`.
    fn grant<'py>(
        &self,
        at: i64,
        sent: i64,
        grant: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = grant.py();
        let (at, sent) = (HostTime::new(at), HostTime::new(sent));
        // Which answer it is, it says itself: a window's has no tag.
        let tag = dict::read_with(grant, "the grant", |from| from.text("tag", |_| ()));
        let grant = match tag.map_err(|failed| failed.raise(py))? {
            Some(()) => dict::read::<SegmentGrant>(grant, "the grant").map(Grant::Segment),
            None => dict::read::<WindowGrant>(grant, "the grant").map(Grant::Window),
        };
        let grant =
            grant.map_err(|failed| errors::raise(py, Code::GrantInvalid, failed.message))?;
        let outcome = both!(self, generator => generator.handle_grant(&grant, sent, at));
        match refused(py, outcome)? {
            Outcome::Applied => Ok("applied".into_pyobject(py)?.into_any()),
            Outcome::Ignored => Ok("ignored".into_pyobject(py)?.into_any()),
            Outcome::Release(release) => Ok(dict::written(py, |to| release.put(to))?.into_any()),
        }
    }

    #[pyo3(signature = (at, request, code, retry_after_ms = None))]
    fn failure(
        &self,
        at: i64,
        request: Hex,
        code: &str,
        retry_after_ms: Option<u32>,
    ) -> PyResult<()> {
        let code = Code::parse(code)
            .ok_or_else(|| PyValueError::new_err(format!("there is no code `{code}`")))?;
        let at = HostTime::new(at);
        both!(self, generator => generator.handle_failure(request.0, code, retry_after_ms, at));
        Ok(())
    }

    fn retire<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let release = both!(self, generator => generator.retire());
        release.map(|release| dict::written(py, |to| release.put(to))).transpose()
    }

    fn forget(&self) {
        both!(self, generator => generator.forget());
    }

    fn resumed(&self) {
        both!(self, generator => generator.resumed());
    }

    /// What another memory image may know: `store`, `position`, `have_until`.
    fn carryover<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let before = both!(self, generator => generator.carryover());
        dict::written(py, |to| before.put(to))
    }

    /// Takes over what another memory image knew.
    fn resume(&self, before: &Bound<'_, PyAny>) -> PyResult<()> {
        let read = dict::read::<Carryover>(before, "what was carried over");
        let before = read.map_err(|failed| failed.raise(before.py()))?;
        both!(self, generator => generator.resume(before));
        Ok(())
    }

    /// The code why asks fail, if they do.
    fn failing(&self) -> Option<&'static str> {
        both!(self, generator => generator.failure()).map(Code::as_str)
    }

    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats: Stats = both!(self, generator => generator.stats());
        dict::written(py, |to| stats.put(to))
    }
}

fn refused<T>(py: Python<'_>, result: Result<T, Refusal>) -> PyResult<T> {
    result.map_err(|refusal| errors::refuse(py, refusal, "the generator"))
}
