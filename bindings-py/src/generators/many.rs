//! Many IDs in one call: all of them or none, or what is at hand.

use std::sync::Arc;

use leafid_core::{Code, HostTime, Kind as CoreKind, LINE_END, Refusal, SharedLine};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::client::driver::Kind;
use crate::generators::generator::Generator;
use crate::generators::verb::Verb;
use crate::values::{Buffer, Seconds, errors, whole_number};

/// The core's generator.
type Core<K> = leafid_core::Generator<K, Arc<SharedLine>>;

/// How many IDs are carried into a buffer at a time.
const PART: usize = 512;

/// Why a count can never be had in one go.
pub enum Never {
    /// There are this many at most.
    MoreThan(u64),
    /// There is no memory for them.
    Memory,
}

impl<K: Kind> Generator<K> {
    /// `n` IDs, or none.
    ///
    /// # Errors
    /// As `Segment.take`.
    pub fn take<'py>(
        &self,
        n: &Bound<'py, PyAny>,
        timeout: Option<Seconds>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (py, count, timeout) = (n.py(), checked_count(n)?, self.timeout(timeout)?);
        PyList::new(py, self.exactly(py, count as usize, timeout, Verb::Take(count))?)
    }

    /// Fills all of a buffer, or leaves it as it is.
    ///
    /// # Errors
    /// As `Segment.fill`.
    pub fn fill(&self, buffer: &Bound<'_, PyAny>, timeout: Option<Seconds>) -> PyResult<()> {
        let (py, mut into, timeout) = (buffer.py(), Buffer::of(buffer)?, self.timeout(timeout)?);
        let (count, verb) = (into.len(), Verb::Fill(into.len() as u64));
        if count == 0 {
            return Ok(());
        }
        if !into.is_aligned() {
            let ids = self.exactly(py, count, timeout, verb)?;
            into.write(py, 0, &ids);
            return Ok(());
        }
        // All of it or nothing: the core touches it only once all are there.
        let most = self.wait_for(py, timeout, verb, |generator, now| {
            or_most(generator.fill(now, into.integers(py)), generator)
        })?;
        self.can_be_ready(count as u64, most)
    }

    /// Fills a buffer with what is at hand; says how many.
    ///
    /// # Errors
    /// As `Segment.fill_available`.
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
    ///
    /// # Errors
    /// As `Segment.ready`.
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

    /// Whether so many can ever be at hand; `most` is how many can, if not.
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

    fn exactly(
        &self,
        py: Python<'_>,
        count: usize,
        timeout: f64,
        verb: Verb,
    ) -> PyResult<Vec<u64>> {
        let mut many = Exactly::new(count);
        if count == 0 {
            return Ok(many.ids);
        }
        let never = self.wait_for(py, timeout, verb, |generator, now| many.draw(generator, now))?;
        self.drawn(many, never)
    }

    /// The IDs, if they can ever be had.
    ///
    /// # Errors
    /// `COUNT_INVALID`; `MemoryError`.
    pub fn drawn(&self, many: Exactly, never: Option<Never>) -> PyResult<Vec<u64>> {
        let count = many.count;
        match never {
            None => Ok(many.ids),
            Some(Never::Memory) => {
                Err(PyMemoryError::new_err(format!("no memory for {count} IDs")))
            }
            Some(Never::MoreThan(most)) => Err(self.too_many(count as u64, most)),
        }
    }
}

/// `count` IDs, in memory of our own: nobody sees any before all of them are there.
pub struct Exactly {
    count: usize,
    ids: Vec<u64>,
}

impl Exactly {
    /// None of them yet.
    pub fn new(count: usize) -> Exactly {
        Exactly { count, ids: Vec::new() }
    }

    /// Tries once.
    ///
    /// # Errors
    /// The core's, where waiting may help.
    pub fn draw<K: CoreKind>(
        &mut self,
        generator: &mut Core<K>,
        now: HostTime,
    ) -> Result<Option<Never>, Refusal> {
        let count = self.count;
        if count == 0 {
            return Ok(None);
        }
        let mut attempt = || {
            if self.ids.is_empty() {
                // Looked at first: what can never be had may need more memory than there is.
                generator.ready(now, count as u64)?;
                if self.ids.try_reserve_exact(count).is_err() {
                    return Ok(Some(Never::Memory));
                }
                self.ids.resize(count, 0);
            }
            generator.fill(now, &mut self.ids).map(|()| None)
        };
        match attempt() {
            Err(refusal) if refusal.code == Code::CountInvalid => {
                Ok(Some(Never::MoreThan(generator.most())))
            }
            verdict => verdict,
        }
    }
}

/// Looks once whether `count` are at hand; `Some` is how many can be, where never so many can.
///
/// # Errors
/// The core's, where waiting may help.
pub fn look<K: CoreKind>(
    generator: &mut Core<K>,
    now: HostTime,
    count: u64,
) -> Result<Option<u64>, Refusal> {
    or_most(generator.ready(now, count), generator)
}

/// A verdict; `Some` is how many can be had at once, where never so many can.
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
