//! Drawing IDs for the verbs: one, many, none, or those at hand.

use std::ffi::c_long;
use std::sync::Arc;

use leafid_core::{
    Code, HostTime, Ids, Kind as CoreKind, LINE_END, Range, Refusal, Run, SharedLine,
};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::client::driver::Kind;
use crate::generators::generator::Generator;
use crate::generators::raw;
use crate::generators::verb::Verb;
use crate::values::{Buffer, Seconds, errors, whole_number};

type Core<K> = leafid_core::Generator<K, Arc<SharedLine>>;

/// The number of IDs copied into a buffer at a time.
const PART: usize = 512;

/// The largest count for which memory is not checked first.
const FEW: u64 = 10_000;

/// The smallest count for which making a `range` pays.
const RANGE: u64 = 32;

/// The result of a verb.
pub enum Drawn<K: CoreKind> {
    Id(u64),
    /// The drawn runs, and how their IDs are composed.
    Many(Option<(K::Ids, [Option<Run>; 2])>),
    /// The IDs are at hand, or written.
    There,
    /// More than one call can ever get; this is the most.
    AtMost(u64),
    NoMemory,
}

impl<K: Kind> Generator<K> {
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
        self.given(py, verb, drawn)
    }

    /// The result of a verb as a Python object.
    ///
    /// # Errors
    /// `COUNT_INVALID`; `MemoryError`.
    pub fn given(&self, py: Python<'_>, verb: Verb, drawn: Drawn<K::Core>) -> PyResult<Py<PyAny>> {
        let count = verb.count();
        match drawn {
            Drawn::Id(id) => id.into_py_any(py),
            Drawn::Many(runs) => Ok(all_listed(py, runs)?.into_any().unbind()),
            Drawn::There => Ok(py.None()),
            Drawn::NoMemory => Err(PyMemoryError::new_err(format!("no memory for {count} IDs"))),
            Drawn::AtMost(most) => {
                let about = self.kind.subject();
                let message = format!("{about} gives at most {most} IDs at once, got `{count}`");
                Err(errors::raise(Code::CountInvalid, message))
            }
        }
    }

    /// Fills a whole buffer, or leaves it unchanged.
    pub fn fill(&self, buffer: &Bound<'_, PyAny>, timeout: Option<Seconds>) -> PyResult<()> {
        let (py, mut into, timeout) = (buffer.py(), Buffer::of(buffer)?, self.timeout(timeout)?);
        let (count, verb) = (into.len(), Verb::Fill(into.len() as u64));
        if count == 0 {
            return Ok(());
        }
        // A misaligned buffer is filled by copying.
        let mut beside = vec![0; if into.is_aligned() { 0 } else { count }];
        // All or nothing: the core writes only once all IDs are there.
        let drawn = self.wait_for(py, timeout, verb, |generator, now| {
            let room = if beside.is_empty() { into.integers(py) } else { &mut beside };
            or_most(generator.fill(now, room).map(|()| Drawn::There), generator)
        })?;
        self.given(py, verb, drawn)?;
        into.write(py, 0, &beside);
        Ok(())
    }

    /// Writes the IDs at hand to a buffer, and counts them.
    pub fn fill_available(
        &self,
        buffer: &Bound<'_, PyAny>,
        timeout: Option<Seconds>,
    ) -> PyResult<usize> {
        let (py, into, timeout) = (buffer.py(), Buffer::of(buffer)?, self.timeout(timeout)?);
        let mut part = [0; PART];
        let mut filled = 0;
        if into.len() == 0 {
            return Ok(0);
        }
        self.wait_for(py, timeout, Verb::Fill(1), |generator, now| {
            while filled < into.len() {
                let room = &mut part[..PART.min(into.len() - filled)];
                match generator.fill_available(now, room) {
                    Ok(count) => {
                        into.write(py, filled, &room[..count]);
                        filled += count;
                    }
                    Err(refusal) if filled == 0 => return Err(refusal),
                    Err(_) => break,
                }
            }
            Ok(filled)
        })
    }
}

/// Tries a verb once.
pub fn draw<K: CoreKind>(
    generator: &mut Core<K>,
    now: HostTime,
    verb: Verb,
) -> Result<Drawn<K>, Refusal> {
    let drawn = match verb {
        Verb::Next => generator.next(now).map(Drawn::Id),
        Verb::Take(count) => take(generator, now, count),
        _ => generator.ready(now, verb.count()).map(|()| Drawn::There),
    };
    or_most(drawn, generator)
}

fn take<K: CoreKind>(
    generator: &mut Core<K>,
    now: HostTime,
    count: u64,
) -> Result<Drawn<K>, Refusal> {
    if count > FEW {
        // Checked before memory is: an impossible count may need more memory than there is.
        generator.ready(now, count)?;
        if Vec::<[u64; 5]>::new().try_reserve_exact(count as usize).is_err() {
            return Ok(Drawn::NoMemory);
        }
    }
    let runs = generator.take_runs(now, count)?;
    Ok(Drawn::Many(generator.ids().map(|ids| (ids, runs))))
}

fn or_most<K: CoreKind>(
    drawn: Result<Drawn<K>, Refusal>,
    generator: &Core<K>,
) -> Result<Drawn<K>, Refusal> {
    match drawn {
        Err(refusal) if refusal.code == Code::CountInvalid => Ok(Drawn::AtMost(generator.most())),
        drawn => drawn,
    }
}

fn all_listed<'py, I: Ids>(
    py: Python<'py>,
    drawn: Option<(I, [Option<Run>; 2])>,
) -> PyResult<Bound<'py, PyList>> {
    let runs =
        |(ids, runs): (I, [Option<Run>; 2])| runs.map(|run| run.map(|run| listed(py, ids, run)));
    let parts = drawn.into_iter().flat_map(runs).flatten();
    let joined = parts.reduce(|all, part| {
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
