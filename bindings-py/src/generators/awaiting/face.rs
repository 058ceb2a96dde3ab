//! The functions of a generator that an awaitable and a waiter call, the same for both classes.

use std::sync::Arc;
use std::time::Duration;

use pyo3::PyClass;
use pyo3::prelude::*;

use crate::client::driver::{Bell, Call, Kind};
use crate::generators::generator::Generator;
use crate::generators::many::draw;
use crate::generators::quick::Made;
use crate::generators::verb::Verb;

/// The value, or the longest rest before the next try.
pub type Step = PyResult<Result<Py<PyAny>, Duration>>;

/// The functions of one class; each takes an instance of it.
pub struct Face {
    /// One ID, if it is at hand and no other caller waits.
    pub draw: fn(Borrowed<'_, '_, PyAny>) -> Option<u64>,
    /// Whether other callers wait already, so that a new one has to queue.
    pub is_queued: fn(Borrowed<'_, '_, PyAny>) -> bool,
    pub step: fn(Borrowed<'_, '_, PyAny>, Verb, &Call) -> Step,
    /// The number of IDs at hand after a failed ask; 0 while the store answers.
    pub spare: fn(Borrowed<'_, '_, PyAny>) -> u64,
    pub bell: fn(Borrowed<'_, '_, PyAny>) -> PyResult<Arc<Bell>>,
}

/// A class that is a generator.
pub trait HasGenerator: PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Sync {
    type Kind: Kind;
    const FACE: &'static Face = &Face {
        draw: |owner| Self::of(owner).draw_unqueued(),
        is_queued: |owner| Self::of(owner).is_queued(),
        step: |owner, verb, call| Self::of(owner).step(owner, verb, call),
        spare: |owner| Self::of(owner).spare(),
        bell: |owner| Ok(Self::of(owner).holding(owner.py())?.bells.hang()),
    };

    fn generator(&self) -> &Generator<Self::Kind>;

    /// The Python objects that this class's quick calls need: PyO3's own `next`, and the iterator's type.
    fn made() -> &'static Made;

    #[expect(unsafe_code, reason = "the type was checked where the awaitable was made")]
    fn of<'a>(owner: Borrowed<'a, '_, PyAny>) -> &'a Generator<Self::Kind> {
        // SAFETY: only methods of this class make awaitables and waiters with its face.
        let owner: Borrowed<'a, '_, Self> = unsafe { owner.cast_unchecked() };
        owner.get().generator()
    }
}

impl<K: Kind> Generator<K> {
    /// Whether a caller waits in an event loop.
    pub fn is_queued(&self) -> bool {
        self.holding.get().bells.are_hung()
    }

    fn spare(&self) -> u64 {
        let holding = self.holding.get();
        if !holding.is_current() {
            return 0;
        }
        let stats = holding.stats();
        stats.last_code.map_or(0, |_| stats.in_hand)
    }

    fn step(&self, owner: Borrowed<'_, '_, PyAny>, verb: Verb, call: &Call) -> Step {
        let py = owner.py();
        Ok(match verb {
            Verb::Itself => Ok(owner.to_owned().unbind()),
            Verb::Ready(0) => Ok(py.None()),
            Verb::Release | Verb::Close => {
                self.given_back(py, call, verb == Verb::Close)?.map(|()| py.None())
            }
            _ => match self.attempt(py, call, |core, now| draw(core, now, verb))? {
                Ok(drawn) => Ok(self.given(py, verb, drawn)?),
                Err(pause) => Err(pause),
            },
        })
    }
}
