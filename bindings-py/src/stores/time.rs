//! The time of a store over SQL, by a clock of Python's.

use leafid_core::{HostTime, StoreTime};
use leafid_turn::clock::{Clock, RegistryTime, strayed, strays};
use pyo3::prelude::*;

use super::turn::failed;

/// What a clock shows in one moment.
struct Shown {
    wall: StoreTime,
    boot: HostTime,
}

impl Shown {
    fn of(clock: &Bound<'_, PyAny>) -> PyResult<Shown> {
        let wall = StoreTime::new(clock.getattr("wall_ms")?.extract()?);
        Ok(Shown { wall, boot: HostTime::new(clock.getattr("monotonic_ms")?.extract()?) })
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

/// A store's time: its source's, as long as that can be believed, and never back. It begins at the latest of
/// the source and of what the store has granted.
#[pyclass(module = "leafid._native", name = "StoreTime")]
pub struct PyStoreTime {
    clock: Py<PyAny>,
    time: RegistryTime,
}

#[pymethods]
impl PyStoreTime {
    #[new]
    #[pyo3(signature = (clock, granted_ms, seen_ms, called = "this machine's clock"))]
    fn new(
        clock: Bound<'_, PyAny>,
        granted_ms: i64,
        seen_ms: i64,
        called: &str,
    ) -> PyResult<PyStoreTime> {
        let (shown, granted) = (Shown::of(&clock)?, StoreTime::new(granted_ms));
        if let Some(known) = strays(shown.wall, granted, StoreTime::new(seen_ms)) {
            return Err(failed(strayed(called, shown.wall, known)).into());
        }
        Ok(PyStoreTime { clock: clock.unbind(), time: RegistryTime::start(granted, &shown) })
    }

    /// The time in ms. A step forward by more than a minute is not believed for a window, which is at most
    /// as many ms long as `max_window_ms` says.
    fn read(&mut self, py: Python<'_>, max_window_ms: &Bound<'_, PyAny>) -> PyResult<i64> {
        let shown = Shown::of(self.clock.bind(py))?;
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
