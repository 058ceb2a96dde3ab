//! `leafid.testing`: a clock that tests move by hand, and the check of a user's own store.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use leafid::conform::{DoesNotConform, Means, play};
use leafid::host::clock::{Clock, TestClock};
use pyo3::prelude::*;

use crate::stores::{UserStore, failed};
use crate::values::outside;

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

/// Checks a user's store with the cases that all languages share. Returns the names of the failed cases, each with the
/// reason, and the names of the passed ones. `again` returns another object for the same store, as another process
/// would have it. A store that does not answer within `patience` seconds fails the case.
#[pyfunction]
pub fn conform(
    store: &Bound<'_, PyAny>,
    tag: &str,
    namespace: &str,
    clock: Option<PyRef<'_, PyClock>>,
    again: Option<Py<PyAny>>,
    patience: f64,
) -> PyResult<(BTreeMap<String, String>, Vec<String>)> {
    let mut can = Vec::new();
    for verb in ["lease_segment", "acquire", "renew", "release"] {
        can.extend(store.hasattr(verb)?.then_some(verb));
    }
    can.extend(again.is_some().then_some("again"));
    can.extend(clock.is_some().then_some("clock"));
    let clock = clock.map(|clock| Arc::clone(&clock.0));
    let own = store.clone().unbind();
    let means = Means {
        can,
        connect: Box::new(move |is_again| {
            outside::attached(|py| {
                let again = again.as_ref().filter(|_| is_again);
                let own = || Ok(own.bind(py).clone());
                let store = again.map_or_else(own, |again| outside::call(again.bind(py), (), None));
                let connection = store.map(|store| UserStore::connection(&store));
                connection.map_err(|error| failed(py, "again", error))
            })
        }),
        pass: Box::new(move |ms| match &clock {
            None => thread::sleep(Duration::from_millis(ms.try_into().unwrap_or(0))),
            Some(clock) => {
                clock.step_wall(ms);
                clock.step_monotonic(ms.max(0));
            }
        }),
        host: |act| outside::attached(|py| py.detach(act)),
        patience: Duration::try_from_secs_f64(patience).unwrap_or(Duration::MAX),
    };
    Ok(match store.py().detach(|| play(means, tag, namespace)) {
        Ok(passed) => (BTreeMap::new(), passed),
        Err(DoesNotConform { failed, passed }) => (failed, passed),
    })
}
