//! Many IDs in one call: all of them or none, or what is at hand.

use std::ffi::c_long;
use std::sync::Arc;

use leafid_core::{
    Code, HostTime, Ids, Kind as CoreKind, LINE_END, Range, Refusal, Run, SharedLine,
};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::client::driver::Kind;
use crate::generators::generator::Generator;
use crate::generators::raw;
use crate::generators::verb::Verb;
use crate::values::{Buffer, Seconds, errors, whole_number};

type Core<K> = leafid_core::Generator<K, Arc<SharedLine>>;

/// How many IDs are carried into a buffer at a time.
const PART: usize = 512;

/// Up to how many it is not checked whether there is memory for them.
const FEW: u64 = 10_000;

/// From how many on a `range` is worth being made.
const RANGE: u64 = 32;

/// Why a count can never be had in one go.
pub enum Never {
    MoreThan(u64),
    Memory,
}

impl<K: Kind> Generator<K> {
    /// `n` IDs, or none.
    pub fn take<'py>(
        &self,
        n: &Bound<'py, PyAny>,
        timeout: Option<Seconds>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (py, count, timeout) = (n.py(), checked_count(n)?, self.timeout(timeout)?);
        let mut many = Exactly::new(count);
        if count == 0 {
            return many.listed(py);
        }
        let verb = Verb::Take(count);
        let never = self.wait_for(py, timeout, verb, |generator, now| many.draw(generator, now))?;
        self.listed(py, &many, never)
    }

    /// Fills all of a buffer, or leaves it as it is.
    pub fn fill(&self, buffer: &Bound<'_, PyAny>, timeout: Option<Seconds>) -> PyResult<()> {
        let (py, mut into, timeout) = (buffer.py(), Buffer::of(buffer)?, self.timeout(timeout)?);
        let count = into.len();
        if count == 0 {
            return Ok(());
        }
        // Where the buffer has no place for integers they are carried over.
        let mut beside = vec![0; if into.is_aligned() { 0 } else { count }];
        // All of it or nothing: the core touches it only once all are there.
        let most = self.wait_for(py, timeout, Verb::Fill(count as u64), |generator, now| {
            let room = if beside.is_empty() { into.integers(py) } else { &mut beside };
            or_most(generator.fill(now, room), generator)
        })?;
        self.can_be_ready(count as u64, most)?;
        into.write(py, 0, &beside);
        Ok(())
    }

    /// Fills a buffer with what is at hand; says how many.
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

    /// Waits until `n` IDs are at hand.
    pub fn ready(&self, n: &Bound<'_, PyAny>, timeout: Option<Seconds>) -> PyResult<()> {
        let (py, count, timeout) = (n.py(), checked_count(n)?, self.timeout(timeout)?);
        if count == 0 {
            return Ok(());
        }
        let verb = Verb::Ready(count);
        let most =
            self.wait_for(py, timeout, verb, |generator, now| look(generator, now, count))?;
        self.can_be_ready(count, most)
    }

    /// Whether that many can ever be at hand; `most` is how many can, if not.
    ///
    /// # Errors
    /// `COUNT_INVALID`.
    pub fn can_be_ready(&self, count: u64, most: Option<u64>) -> PyResult<()> {
        most.map_or(Ok(()), |most| Err(self.too_many(count, most)))
    }

    fn too_many(&self, count: u64, most: u64) -> PyErr {
        let about = self.kind.subject();
        let message = format!("{about} gives at most {most} IDs at once, got `{count}`");
        errors::raise(Code::CountInvalid, message)
    }

    /// The IDs, if they can ever be had.
    ///
    /// # Errors
    /// `COUNT_INVALID`; `MemoryError`.
    pub fn listed<'py>(
        &self,
        py: Python<'py>,
        many: &Exactly<K::Core>,
        never: Option<Never>,
    ) -> PyResult<Bound<'py, PyList>> {
        match never {
            None => many.listed(py),
            Some(Never::Memory) => {
                Err(PyMemoryError::new_err(format!("no memory for {} IDs", many.count)))
            }
            Some(Never::MoreThan(most)) => Err(self.too_many(many.count, most)),
        }
    }
}

/// `count` IDs, or none yet: where they are, and how they are made.
pub struct Exactly<K: CoreKind> {
    count: u64,
    drawn: Option<(K::Ids, [Option<Run>; 2])>,
}

impl<K: CoreKind> Exactly<K> {
    pub fn new(count: u64) -> Exactly<K> {
        Exactly { count, drawn: None }
    }

    /// Tries once.
    pub fn draw(
        &mut self,
        generator: &mut Core<K>,
        now: HostTime,
    ) -> Result<Option<Never>, Refusal> {
        let count = self.count;
        let mut attempt = || -> Result<Option<Never>, Refusal> {
            if count > FEW {
                // Looked at first: what can never be had may need more memory than there is.
                generator.ready(now, count)?;
                if Vec::<[u64; 5]>::new().try_reserve_exact(count as usize).is_err() {
                    return Ok(Some(Never::Memory));
                }
            }
            let runs = generator.take_runs(now, count)?;
            self.drawn = generator.ids().map(|ids| (ids, runs));
            Ok(None)
        };
        match attempt() {
            Err(refusal) if refusal.code == Code::CountInvalid => {
                Ok(Some(Never::MoreThan(generator.most())))
            }
            verdict => verdict,
        }
    }

    /// The IDs as a list.
    fn listed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let runs = |(ids, runs): &(K::Ids, [Option<Run>; 2])| {
            runs.map(|run| run.map(|run| listed(py, *ids, run)))
        };
        let parts = self.drawn.iter().flat_map(runs).flatten();
        let joined = parts.reduce(|all, part| {
            let (all, part) = (all?, part?);
            all.as_sequence().in_place_concat(part.as_sequence())?;
            Ok(all)
        });
        joined.unwrap_or_else(|| Ok(PyList::empty(py)))
    }
}

/// The IDs of a run as a list. Where they are successive numbers it is the list of a `range`: the
/// interpreter makes its own numbers quicker than it takes ours.
fn listed<'py>(py: Python<'py>, ids: impl Ids, run: Run) -> PyResult<Bound<'py, PyList>> {
    let Range { start, end } = run.positions;
    let count = end - start;
    if count < RANGE {
        let few = (0..count as usize).map(|n| ids.id(start + n as u64, run.worker));
        return PyList::new(py, few);
    }
    let first = ids.id(start, run.worker);
    let behind = ids.id(end - 1, run.worker) + 1;
    // A `range` that does not count in a C `long` is slow.
    if behind - first == count && c_long::try_from(behind).is_ok() {
        return raw::range(py, first as c_long, behind as c_long);
    }
    let mut all = vec![0; count as usize];
    ids.write(run, &mut all);
    PyList::new(py, all)
}

/// Looks once whether `count` are at hand; `Some` is how many can be, where that many never can.
pub fn look<K: CoreKind>(
    generator: &mut Core<K>,
    now: HostTime,
    count: u64,
) -> Result<Option<u64>, Refusal> {
    or_most(generator.ready(now, count), generator)
}

/// A verdict; `Some` is how many can be had at once, where that many never can.
fn or_most<K: CoreKind>(
    verdict: Result<(), Refusal>,
    generator: &Core<K>,
) -> Result<Option<u64>, Refusal> {
    match verdict {
        Err(refusal) if refusal.code == Code::CountInvalid => Ok(Some(generator.most())),
        verdict => verdict.map(|()| None),
    }
}

/// A count as callers give it.
///
/// # Errors
/// `COUNT_INVALID` for one that no line has; `TypeError` for anything but a whole number.
pub fn checked_count(n: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole_number("n", n, 0, LINE_END, Code::CountInvalid)
}
