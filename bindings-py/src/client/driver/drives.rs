//! The interface of a holding to its driver.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use leafid_core::{Ask, Grant, HostTime};

use crate::client::Failed;
use crate::client::driver::{Driven, Errand, Holding, Hub, Kind, saving};
use crate::client::host::random;

/// How often the driver of snowflakes checks whether the wall clock leapt.
const LOOK_UP: Duration = Duration::from_secs(1);
/// How often a driver checks a clock that a test moves.
const LOOK_UP_OF_TESTS: Duration = Duration::from_millis(2);
/// The pause before another try where the system gave no randomness.
pub(super) const NO_RANDOMNESS: Duration = Duration::from_millis(100);

impl<K: Kind> Driven for Holding<K> {
    fn poll_errand(&self) -> Errand {
        let mut state = self.lock();
        let Ok(entropy) = random::entropy() else { return Errand::Rest(Some(NO_RANDOMNESS)) };
        let errand = state.errand(entropy);
        // A write to the state file is another thread's task.
        self.saver_called.notify_one();
        if let Some(errand) = errand {
            return errand;
        }
        self.publish(&state);
        let wait = state.look_at().map(|at| at.since(self.clock.exact()));
        let wait = wait.map(|ms| Duration::from_millis(u64::try_from(ms).unwrap_or(0).max(1)));
        let look_up = match (self.clock.is_given(), K::READS_CLOCK) {
            (true, _) => Some(LOOK_UP_OF_TESTS),
            (false, true) => Some(LOOK_UP),
            (false, false) => None,
        };
        Errand::Rest(wait.into_iter().chain(look_up).min())
    }

    fn take_call(&self) -> bool {
        self.called.swap(false, Ordering::AcqRel)
    }

    fn listen(&self, hub: Arc<Hub>) {
        let _ = self.hub.set(hub);
    }

    fn released(&self) {
        self.lock().sending = false;
        self.wake_callers();
    }

    fn answered(&self, ask: &Ask, sent: HostTime, answer: Result<Grant, Failed>) {
        let mut state = self.lock();
        state.answered(&self.kept, ask, sent, answer);
        self.publish(&state);
        self.saver_called.notify_one();
        drop(state);
        self.wake_callers();
    }

    fn ended(&self) {
        self.lock().driven = false;
        self.wake_callers();
    }

    fn is_over(&self) -> bool {
        !self.has_callers() && self.lock().is_done()
    }

    fn has_callers(&self) -> bool {
        self.callers.load(Ordering::Acquire) > 0
    }

    fn retire(&self) {
        Holding::retire(self, false);
    }

    fn save(self: Arc<Self>) -> io::Result<()> {
        saving::spawn(&self)
    }

    fn draws(&self) -> Option<String> {
        (!self.is_closed()).then(|| self.kind.draws())
    }

    fn costs(&self) -> &'static str {
        match K::READS_CLOCK {
            true => "a worker number of its own until its window ends",
            false => "a range of its own",
        }
    }

    fn is_ours(&self) -> bool {
        self.is_current()
    }

    fn forget(&self) {
        Holding::forget(self);
    }

    fn give_back(&self) {
        // Without randomness the old generator stays; a process that ends loses nothing.
        if let Ok(seed) = random::seed() {
            let _ = Holding::give_back(self, seed);
        }
    }

    fn has_given_back(&self) -> bool {
        self.lock().has_given_back()
    }
}
