//! The objects with which `leafid._aio` waits: a call, and a bell.

#[cfg(unix)]
use std::io::{Read as _, Write as _};
#[cfg(unix)]
use std::os::{fd::AsRawFd as _, unix::net::UnixStream};
use std::sync::Arc;
use std::task::Wake;

use leafid::driver::{Call, Seat};
use pyo3::prelude::*;

use crate::generators::generator::PyGenerator;
use crate::generators::verb::Verb;

/// A call that waits in an event loop.
#[pyclass(frozen, module = "leafid._native")]
pub struct Waiter {
    pub owner: Py<PyGenerator>,
    pub verb: Verb,
    pub call: Call,
}

#[pymethods]
impl Waiter {
    /// Tries once: `(True, value)`, or `(False, seconds)` with the longest rest before the next try.
    /// Raises errors that waiting cannot cure, and `TimedOutError` when the time is up.
    fn step(&self, py: Python<'_>) -> PyResult<(bool, Py<PyAny>)> {
        match PyGenerator::step(self.owner.bind(py), self.verb, &self.call)? {
            Ok(value) => Ok((true, value)),
            Err(pause) => Ok((false, pause.as_secs_f64().into_pyobject(py)?.into_any().unbind())),
        }
    }

    /// The number of IDs at hand after a failed ask; 0 while the store answers.
    fn spare(&self) -> u64 {
        let holding = self.owner.get().generator.last_holding();
        let stats = holding.is_current().then(|| holding.stats());
        stats.filter(|stats| stats.last_code.is_some()).map_or(0, |stats| stats.in_hand)
    }

    /// The number of IDs that the call wants.
    #[getter]
    fn count(&self) -> u64 {
        self.verb.count()
    }

    /// A bell that rings with every answer; while it exists, other callers queue.
    fn bell(&self, py: Python<'_>) -> PyResult<LoopBell> {
        let bell = LoopBell { seat: self.owner.get().holding(py)?.sit(), rope: Arc::default() };
        bell.seat.wait(&Arc::clone(&bell.rope).into());
        Ok(bell)
    }

    /// The generator whose IDs the call waits for; `None` for `arelease` and `aclose`.
    #[getter]
    fn source(&self, py: Python<'_>) -> Option<Py<PyGenerator>> {
        (!matches!(self.verb, Verb::Close | Verb::Release)).then(|| self.owner.clone_ref(py))
    }

    /// The remaining seconds; `None` for no limit.
    #[getter]
    fn left(&self) -> Option<f64> {
        self.call.left().map(|left| left.as_secs_f64())
    }
}

/// A bell that wakes an event loop with every answer, until it is dropped: the loop cannot block until an answer
/// comes, but it can watch a socket.
#[pyclass(frozen, module = "leafid._native")]
pub struct LoopBell {
    seat: Seat,
    rope: Arc<Rope>,
}

/// What the store's answer pulls. Only where there are sockets that every loop can watch.
struct Rope {
    /// A pair of sockets; none if the process is at its limit of file descriptors.
    #[cfg(unix)]
    ends: Option<(UnixStream, UnixStream)>,
}

impl Default for Rope {
    fn default() -> Rope {
        Rope {
            #[cfg(unix)]
            ends: UnixStream::pair().ok().filter(|(rung, heard)| {
                rung.set_nonblocking(true).and(heard.set_nonblocking(true)).is_ok()
            }),
        }
    }
}

impl Wake for Rope {
    fn wake(self: Arc<Self>) {
        #[cfg(unix)]
        if let Some((rung, _)) = &self.ends {
            // A full socket wakes the loop as well.
            let _ = (&*rung).write(&[1]);
        }
    }
}

#[pymethods]
impl LoopBell {
    /// The file descriptor that an event loop watches, readable once the bell rang; `None` where it has to poll.
    fn descriptor(&self) -> Option<i32> {
        #[cfg(unix)]
        if let Some((_, heard)) = &self.rope.ends {
            return Some(heard.as_raw_fd());
        }
        None
    }

    /// Silences the bell, so that it can ring again.
    fn hush(&self) {
        #[cfg(unix)]
        if let Some((_, heard)) = &self.rope.ends {
            let mut bytes = [0; 64];
            while (&*heard).read(&mut bytes).is_ok_and(|count| count == bytes.len()) {}
        }
        self.seat.wait(&Arc::clone(&self.rope).into());
    }
}
