//! Many IDs in one call: all of them or none, or what is at hand.

use leafid_core::{Code, LINE_END};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::client::driver::Kind;
use crate::generators::generator::Generator;
use crate::values::{Buffer, Seconds, errors, whole_number};

/// How many IDs are carried into a buffer at a time.
const PART: usize = 512;

/// Why a count can never be had in one go.
enum Never {
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
        PyList::new(py, self.exactly(py, count as usize, timeout)?)
    }

    /// Fills all of a buffer, or leaves it as it is.
    ///
    /// # Errors
    /// As `Segment.fill`.
    pub fn fill(&self, buffer: &Bound<'_, PyAny>, timeout: Option<Seconds>) -> PyResult<()> {
        let (py, into, timeout) = (buffer.py(), Buffer::of(buffer)?, self.timeout(timeout)?);
        let ids = self.exactly(py, into.len(), timeout)?;
        into.write(py, 0, &ids);
        Ok(())
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
        self.wait_for(py, timeout, |generator, now| {
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
        let most =
            self.wait_for(py, timeout, |generator, now| match generator.ready(now, count) {
                Err(refusal) if refusal.code == Code::CountInvalid => Ok(Some(generator.most())),
                verdict => verdict.map(|()| None),
            })?;
        most.map_or(Ok(()), |most| Err(self.too_many(count, most)))
    }

    fn too_many(&self, count: u64, most: u64) -> PyErr {
        let about = self.kind.subject();
        let message = format!("{about} gives at most {most} IDs at once, got `{count}`");
        errors::raise(Code::CountInvalid, message)
    }

    /// `count` IDs, in memory of our own: nobody sees any before all of them are there.
    fn exactly(&self, py: Python<'_>, count: usize, timeout: f64) -> PyResult<Vec<u64>> {
        let mut ids = Vec::new();
        if count == 0 {
            return Ok(ids);
        }
        let never = self.wait_for(py, timeout, |generator, now| {
            let mut attempt = || {
                if ids.is_empty() {
                    // Looked at first: what can never be had may need more memory than there is.
                    generator.ready(now, count as u64)?;
                    if ids.try_reserve_exact(count).is_err() {
                        return Ok(Some(Never::Memory));
                    }
                    ids.resize(count, 0);
                }
                generator.fill(now, &mut ids).map(|()| None)
            };
            match attempt() {
                Err(refusal) if refusal.code == Code::CountInvalid => {
                    Ok(Some(Never::MoreThan(generator.most())))
                }
                verdict => verdict,
            }
        })?;
        match never {
            None => Ok(ids),
            Some(Never::Memory) => {
                Err(PyMemoryError::new_err(format!("no memory for {count} IDs")))
            }
            Some(Never::MoreThan(most)) => Err(self.too_many(count as u64, most)),
        }
    }
}

fn checked_count(n: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole_number("n", n, 0, LINE_END, Code::CountInvalid)
}
