//! `leafid.testing.Clock`: a clock that tests move by hand.

use std::sync::Arc;

use leafid::host::clock::{Clock, TestClock};
use pyo3::prelude::*;

/// A host's clock that a test can freeze, step back or make leap.
///
/// It shows the real clocks until it is moved. Pass it as `clock=` to a generator or a
/// `MemoryStore`.
#[pyclass(frozen, name = "Clock", module = "leafid.testing")]
pub struct PyClock(Arc<TestClock>);

impl PyClock {
    /// The clock of a `clock=` argument: the given one, or the host's.
    pub fn of(argument: Option<PyRef<'_, PyClock>>) -> Clock {
        argument.map_or_else(Clock::default, |clock| Clock::of_test(Arc::clone(&clock.0)))
    }
}

#[pymethods]
impl PyClock {
    #[new]
    fn new() -> PyClock {
        PyClock(Arc::default())
    }

    /// Stops both clocks at their current time; steps still move them.
    fn freeze(&self) {
        self.0.freeze();
    }

    /// Lets both clocks run again.
    fn thaw(&self) {
        self.0.thaw();
    }

    /// Moves both clocks by `ms`, as the passing of time does.
    fn advance(&self, ms: i64) {
        self.0.step_monotonic(ms);
        self.0.step_wall(ms);
    }

    /// Moves the monotonic clock alone by `ms`; back, if negative.
    fn step_monotonic(&self, ms: i64) {
        self.0.step_monotonic(ms);
    }

    /// Moves the wall clock alone by `ms`; back, if negative.
    fn step_wall(&self, ms: i64) {
        self.0.step_wall(ms);
    }

    /// The monotonic clock's time, in ms.
    #[getter]
    fn monotonic_ms(&self) -> i64 {
        self.0.monotonic().get()
    }

    /// The wall clock's time, in ms since 1970.
    #[getter]
    fn wall_ms(&self) -> i64 {
        self.0.wall().get()
    }
}
