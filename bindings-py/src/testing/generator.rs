//! `leafid.testing.Generator`: a generator without a store, a thread or a clock, for the test vectors.
//! Every verb takes the time, and asks and grants are plain dicts.

use leafid_bindings::AnyGenerator;
use leafid_core::{Action, Carryover, Code, Event, Failure, HostTime, Outcome, Refusal, Stance};
use leafid_wire::{Fields, Subject, put_ask, put_stats};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::values::{TokenArg, dict, errors};

/// A generator without I/O: `kind` is `segment` or `snowflake`, `config` a dict, `seed` 64 bits.
/// Every `at` is the host's time in ms.
#[pyclass(frozen, name = "Generator", module = "leafid.testing")]
pub struct TestGenerator(Mutex<AnyGenerator>);

impl TestGenerator {
    fn lock(&self) -> MutexGuard<'_, AnyGenerator> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl TestGenerator {
    #[new]
    fn new(kind: &str, config: &Bound<'_, PyAny>, seed: u64) -> PyResult<TestGenerator> {
        if !["segment", "snowflake"].contains(&kind) {
            return Err(PyValueError::new_err(format!(
                "`{kind}` is neither segment nor snowflake"
            )));
        }
        let from = dict::from(config, "the config")?;
        let built = AnyGenerator::new(kind, from, seed);
        let wrong = |wrong| dict::wrong(wrong, Subject::Other("the config"));
        Ok(TestGenerator(Mutex::new(built.map_err(wrong)?)))
    }

    fn next(&self, at: i64) -> PyResult<u64> {
        refused(self.lock().next(HostTime::new(at)))
    }

    fn fill(&self, at: i64, n: usize) -> PyResult<Vec<u64>> {
        let mut ids = vec![0; n];
        refused(self.lock().fill(HostTime::new(at), &mut ids))?;
        Ok(ids)
    }

    fn fill_available(&self, at: i64, n: usize) -> PyResult<Vec<u64>> {
        let mut ids = vec![0; n];
        let filled = self.lock().fill_available(HostTime::new(at), &mut ids);
        ids.truncate(refused(filled)?);
        Ok(ids)
    }

    fn ready(&self, at: i64, n: u64) -> PyResult<bool> {
        refused(self.lock().ready(HostTime::new(at), n)).map(|()| true)
    }

    fn wants_ask(&self, at: i64) -> bool {
        self.lock().wants(HostTime::new(at))
    }

    fn poll_at(&self) -> Option<i64> {
        self.lock().poll_at().map(HostTime::get)
    }

    fn poll_ask<'py>(
        &self,
        py: Python<'py>,
        at: i64,
        entropy: TokenArg,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let entropy = entropy.0.bytes();
        let action = self.lock().poll(HostTime::new(at), entropy);
        let ask = action.and_then(Action::ask);
        ask.map(|ask| dict::written(py, |to| put_ask(&ask, to))).transpose()
    }

    /// Applies an answer: returns `applied`, `ignored`, or the release to send. An unreadable one
    /// raises `GRANT_INVALID`: pass that on as a `failure`.
    fn grant<'py>(
        &self,
        at: i64,
        sent: i64,
        grant: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = grant.py();
        let (at, sent) = (HostTime::new(at), HostTime::new(sent));
        let from = dict::from(grant, "the grant")?;
        let answers = self.lock().answers();
        let grant =
            answers.read(from).map_err(|wrong| dict::wrong(wrong, Subject::Other("the grant")))?;
        let event = Event::Answer { request: grant.request(), sent, answer: Ok(grant) };
        let outcome = self.lock().handle(event, at);
        match refused(outcome)? {
            Outcome::Applied => Ok("applied".into_pyobject(py)?.into_any()),
            Outcome::Ignored => Ok("ignored".into_pyobject(py)?.into_any()),
            Outcome::Release(release) => Ok(dict::written(py, |to| release.put(to))?.into_any()),
        }
    }

    #[pyo3(signature = (at, request, code, retry_after_ms = None))]
    fn failure(
        &self,
        at: i64,
        request: TokenArg,
        code: &str,
        retry_after_ms: Option<u32>,
    ) -> PyResult<()> {
        let (code, at) = (code_of(code)?, HostTime::new(at));
        let answer = Err(Failure { code, retry_after_ms });
        let _ = self.lock().handle(Event::Answer { request: request.0, sent: at, answer }, at);
        Ok(())
    }

    fn retire<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let release = self.lock().retire();
        release.map(|release| dict::written(py, |to| release.put(to))).transpose()
    }

    fn forget(&self) {
        self.lock().forget();
    }

    fn resumed(&self) {
        self.lock().resumed();
    }

    /// The leap of the wall clock since the last look, in ms.
    fn look(&self, at: i64, wall: i64) -> i64 {
        self.lock().look(HostTime::new(at), HostTime::new(wall))
    }

    /// The facts that another memory image may take over: `store`, `position`, `have_until`.
    fn carryover<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let before = self.lock().carryover();
        dict::written(py, |to| before.put(to))
    }

    /// Takes over the facts of another memory image, and goes on above the highest ID that it handed
    /// out in this layout.
    #[pyo3(signature = (before, highest = None, layout = None))]
    fn resume(
        &self,
        before: &Bound<'_, PyAny>,
        highest: Option<u64>,
        layout: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let before: Carryover = dict::read(before, "what was carried over")?;
        let layout = layout.map(|layout| dict::read(layout, "the layout")).transpose()?;
        refused(self.lock().resume(before, highest, layout))
    }

    /// The stance of a caller refused with this code: `{"raise": …}` or `{"wait": …}`.
    #[pyo3(signature = (at, code, until = None))]
    fn stance<'py>(
        &self,
        py: Python<'py>,
        at: i64,
        code: &str,
        until: Option<i64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let code = code_of(code)?;
        let refusal = Refusal { code, until: until.map(HostTime::new) };
        let stance = PyDict::new(py);
        match self.lock().stance(refusal, HostTime::new(at)) {
            Stance::Raise(code) => stance.set_item("raise", code.as_str())?,
            Stance::Wait(until) => stance.set_item("wait", until.map(HostTime::get))?,
        }
        Ok(stance)
    }

    /// The code with which asks fail, if they do.
    fn failing(&self) -> Option<&'static str> {
        self.lock().failing().map(Code::as_str)
    }

    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.lock().stats();
        dict::written(py, |to| put_stats(&stats, to))
    }
}

fn code_of(name: &str) -> PyResult<Code> {
    Code::parse(name).ok_or_else(|| PyValueError::new_err(format!("there is no code `{name}`")))
}

fn refused<T>(result: Result<T, Refusal>) -> PyResult<T> {
    result.map_err(|refusal| errors::refuse(refusal, Subject::Other("the generator")))
}
