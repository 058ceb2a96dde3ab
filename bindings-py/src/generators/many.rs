//! Drawing IDs for the verbs: one, many, none, or those at hand.

use std::ffi::c_long;

use leafid::driver::{Core, Numbering, each};
use leafid_core::{Code, HostTime, Ids, LINE_END, Range, Refusal, Run};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::generators::generator::PyGenerator;
use crate::generators::raw;
use crate::generators::verb::Verb;
use crate::values::{Seconds, whole_number};

/// The largest count for which memory is not checked first.
const FEW: u64 = 10_000;

/// The smallest count for which making a `range` pays.
const RANGE: u64 = 32;

/// The result of a verb.
pub enum Drawn {
    Id(u64),
    /// The drawn runs, and how their IDs are composed.
    Many(Option<(Numbering, [Option<Run>; 2])>),
    /// The IDs are at hand, or written.
    There,
    NoMemory,
}

impl PyGenerator {
    /// Carries out a verb without a buffer, waiting where needed.
    pub fn call(
        &self,
        py: Python<'_>,
        verb: Verb,
        timeout: Option<Seconds>,
    ) -> PyResult<Py<PyAny>> {
        let timeout = self.timeout(timeout)?;
        let at_once = match verb {
            Verb::Next => self.at_hand().map(Drawn::Id),
            Verb::Take(0) => Some(Drawn::Many(None)),
            Verb::Ready(0) => Some(Drawn::There),
            _ => None,
        };
        let drawn = match at_once {
            Some(drawn) => drawn,
            None => self.wait_for(py, timeout, verb, |core, now| draw(core, now, verb))?,
        };
        drawn.given(py, verb)
    }
}

impl Drawn {
    /// The result of a verb as a Python object.
    ///
    /// # Errors
    /// `MemoryError`.
    pub fn given(self, py: Python<'_>, verb: Verb) -> PyResult<Py<PyAny>> {
        match self {
            Drawn::Id(id) => id.into_py_any(py),
            Drawn::Many(runs) => Ok(all_listed(py, runs)?.into_any().unbind()),
            Drawn::There => Ok(py.None()),
            Drawn::NoMemory => {
                Err(PyMemoryError::new_err(format!("no memory for {} IDs", verb.count())))
            }
        }
    }
}

/// Tries a verb once.
pub fn draw(core: &mut Core, now: HostTime, verb: Verb) -> Result<Drawn, Refusal> {
    match verb {
        Verb::Next => each!(Core, core, core => core.next(now)).map(Drawn::Id),
        Verb::Take(count) => take(core, now, count),
        _ => each!(Core, core, core => core.ready(now, verb.count())).map(|()| Drawn::There),
    }
}

fn take(core: &mut Core, now: HostTime, count: u64) -> Result<Drawn, Refusal> {
    if count > FEW {
        // Checked before memory is: an impossible count may need more memory than there is.
        each!(Core, core, core => core.ready(now, count))?;
        if Vec::<[u64; 5]>::new().try_reserve_exact(count as usize).is_err() {
            return Ok(Drawn::NoMemory);
        }
    }
    let runs = each!(Core, core, core => core.take_runs(now, count))?;
    Ok(Drawn::Many(core.numbering().map(|numbering| (numbering, runs))))
}

fn all_listed(
    py: Python<'_>,
    drawn: Option<(Numbering, [Option<Run>; 2])>,
) -> PyResult<Bound<'_, PyList>> {
    let Some((numbering, runs)) = drawn else { return Ok(PyList::empty(py)) };
    let list = |run| each!(Numbering, numbering, ids => listed(py, ids, run));
    let joined = runs.into_iter().flatten().map(list).reduce(|all, part| {
        let (all, part) = (all?, part?);
        all.as_sequence().in_place_concat(part.as_sequence())?;
        Ok(all)
    });
    joined.unwrap_or_else(|| Ok(PyList::empty(py)))
}

/// The IDs of a run as a list. Successive numbers are listed from a `range`: the interpreter makes
/// its own numbers faster than it converts ours.
fn listed<'py>(py: Python<'py>, ids: impl Ids, run: Run) -> PyResult<Bound<'py, PyList>> {
    let Range { start, end } = run.positions;
    let count = end - start;
    if count < RANGE {
        let few = (0..count as usize).map(|n| ids.id(start + n as u64, run.worker));
        return PyList::new(py, few);
    }
    let first = ids.id(start, run.worker);
    let behind = ids.id(end - 1, run.worker) + 1;
    // A `range` beyond a C `long` is slow.
    if behind - first == count && c_long::try_from(behind).is_ok() {
        return raw::range(py, first as c_long, behind as c_long);
    }
    let mut all = vec![0; count as usize];
    ids.write(run, &mut all);
    PyList::new(py, all)
}

/// Checks a caller's count.
///
/// # Errors
/// `COUNT_INVALID` below 0, or above a line's length; `TypeError` for anything but a whole number.
pub fn checked_count(n: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole_number("n", n, 0, LINE_END, Code::CountInvalid)
}
