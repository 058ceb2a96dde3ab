//! The registry's time over the clock of a store: this machine's, or that of a database across a network,
//! reckoned from the times in its answers.

use std::sync::Arc;

use leafid_core::{HostTime, StoreTime};

use super::opening::Found;
use crate::clock::{Clock, RegistryTime};

/// The clock of a store. Its wall clock is the one that the database's last answer set, and that ticks on from
/// there; before an answer, or where the answers have no time, it is this machine's.
#[derive(Clone)]
pub struct StoreClock {
    name: &'static str,
    /// Whether the wall clock is this machine's, whatever the answers say.
    is_own: bool,
    ticks: Arc<dyn Clock>,
    /// How far the database's clock is ahead of the ticking one, in ms.
    ahead: Option<i64>,
    time: RegistryTime,
    longest_ms: i64,
}

impl StoreClock {
    /// Makes a clock that no answer has set; `name` is for messages, and one that `is_own` heeds no answer.
    pub fn new(name: &'static str, is_own: bool, ticks: Arc<dyn Clock>) -> StoreClock {
        let time = RegistryTime::start(StoreTime::new(0), ticks.as_ref());
        StoreClock { name, is_own, ticks, ahead: None, time, longest_ms: 0 }
    }

    /// Starts the registry's time, not before the last grant in the store.
    pub fn start(&mut self, found: &Found) {
        self.time = RegistryTime::start(found.granted(), self);
        self.longest_ms = found.longest_ms.into();
    }

    /// Takes in the longest window of a namespace: for so long a leap of the clock is not believed.
    pub fn learn_window(&mut self, max_window_ms: u32) {
        self.longest_ms = self.longest_ms.max(max_window_ms.into());
    }

    /// The registry's time now, after taking in the time of an answer. Logs a leap.
    pub fn now(&mut self, told: Option<StoreTime>) -> StoreTime {
        if let Some(told) = told.filter(|_| !self.is_own) {
            self.ahead = Some(told.get().saturating_sub(self.ticks.boot().get()));
        }
        let mut time = self.time;
        let (now, leap) = time.read(self, || self.longest_ms);
        self.time = time;
        if let Some(by_ms) = leap {
            let name = self.name;
            tracing::warn!(by_ms, "{name} jumped forward; it is not believed for one max_window");
        }
        now
    }
}

impl Clock for StoreClock {
    fn wall(&self) -> StoreTime {
        let of_database = |ahead| StoreTime::new(self.ticks.boot().get().saturating_add(ahead));
        self.ahead.map_or_else(|| self.ticks.wall(), of_database)
    }

    fn boot(&self) -> HostTime {
        self.ticks.boot()
    }
}
