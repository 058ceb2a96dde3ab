//! The clock of a store over SQL.

use leafid::host::clock::Clock as HostClock;
use leafid_core::{HostTime, StoreTime};
use leafid_turn::clock::{Clock, RegistryTime, strayed, strays};
use pyo3::prelude::*;

use super::turn::failed;
use crate::testing::PyClock;
use crate::values::errors;

/// A reading of the clocks at one moment.
struct Shown {
    wall: StoreTime,
    boot: HostTime,
}

impl Shown {
    /// Reads the clocks. `told_ms` is a database's time just now; it counts unless a test brings a clock.
    fn of(clock: &HostClock, told_ms: Option<i64>) -> Shown {
        let told = told_ms.filter(|_| !clock.is_given());
        let wall = StoreTime::new(told.unwrap_or_else(|| clock.wall().get()));
        Shown { wall, boot: clock.boot() }
    }
}

impl Clock for Shown {
    fn wall(&self) -> StoreTime {
        self.wall
    }

    fn boot(&self) -> HostTime {
        self.boot
    }
}

/// A store's time: follows its source as long as that is plausible, and never goes back. It begins at the
/// later one of the source's time and the latest grant.
#[pyclass(module = "leafid._native", name = "StoreTime")]
pub struct PyStoreTime {
    clock: HostClock,
    time: RegistryTime,
}

#[pymethods]
impl PyStoreTime {
    #[new]
    #[pyo3(signature = (clock, granted_ms, seen_ms, told_ms = None))]
    fn new(
        clock: Option<PyRef<'_, PyClock>>,
        granted_ms: i64,
        seen_ms: i64,
        told_ms: Option<i64>,
    ) -> PyResult<PyStoreTime> {
        let called =
            if told_ms.is_some() { "the database's clock" } else { "this machine's clock" };
        let (clock, granted) = (PyClock::of(clock), StoreTime::new(granted_ms));
        let shown = Shown::of(&clock, told_ms);
        if let Some(known) = strays(shown.wall, granted, StoreTime::new(seen_ms)) {
            return Err(errors::of(failed(strayed(called, shown.wall, known))));
        }
        Ok(PyStoreTime { clock, time: RegistryTime::start(granted, &shown) })
    }

    /// The time in ms. A step forward by more than a minute is ignored for the length of a window, at most
    /// the number of ms that `max_window_ms` returns.
    #[pyo3(signature = (max_window_ms, told_ms = None))]
    fn read(&mut self, max_window_ms: &Bound<'_, PyAny>, told_ms: Option<i64>) -> PyResult<i64> {
        let shown = Shown::of(&self.clock, told_ms);
        let mut failed = None;
        let longest = || {
            let asked = max_window_ms.call0().and_then(|ms| ms.extract());
            asked.unwrap_or_else(|error| {
                failed = Some(error);
                i64::MAX
            })
        };
        let (now, _) = self.time.read(&shown, longest);
        failed.map_or(Ok(now.get()), Err)
    }
}
