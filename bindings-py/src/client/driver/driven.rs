//! A generator as its driver sees it, whichever kind it is.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use leafid_core::{Ask, Grant, HostTime};

use crate::client::Failed;
use crate::client::driver::{Action, Holding, Kind, saving};
use crate::client::host::random;

/// How often a window's driver looks whether the host was suspended.
const LOOK_UP: Duration = Duration::from_secs(1);
/// How often a driver looks at a clock that a test moves.
const LOOK_UP_OF_TESTS: Duration = Duration::from_millis(2);
/// When to try again where the system gave no randomness.
const NO_RANDOMNESS: Duration = Duration::from_millis(100);

/// A generator as its driver sees it.
pub trait Driven: Send + Sync {
    /// Waits for the next thing to do.
    fn next_action(&self) -> Action;
    /// Takes the answer to an ask that left at `sent`.
    fn answered(&self, ask: &Ask, sent: HostTime, answer: Result<Grant, Failed>);
    /// The driver has ended, or could not begin.
    fn ended(&self);
    /// Whether the driver has ended, and every caller has its ID or its error.
    fn is_over(&self) -> bool;
    /// Closes the line, and ends the driver after what is to be sent.
    fn retire(&self);
    /// Starts the thread of the state file, if there is one to be kept.
    ///
    /// # Errors
    /// If the system gives no thread.
    fn save(self: Arc<Self>) -> io::Result<()>;
    /// Whether it was made in this process.
    fn is_ours(&self) -> bool;
    /// What it draws from, for the name of its thread.
    fn about(&self) -> String;
}

impl<K: Kind> Driven for Holding<K> {
    fn next_action(&self) -> Action {
        let mut state = self.lock();
        loop {
            let patience = match random::entropy() {
                Err(_) => Some(NO_RANDOMNESS),
                Ok(entropy) => match state.action(entropy) {
                    Action::Wait(at) => {
                        self.publish(&state);
                        at.map(|at| at.since(self.clock.exact()))
                            .map(|ms| Duration::from_millis(u64::try_from(ms).unwrap_or(0).max(1)))
                    }
                    action => return action,
                },
            };
            let look_up = match (self.clock.is_given(), K::READS_CLOCK) {
                (true, _) => Some(LOOK_UP_OF_TESTS),
                (false, true) => Some(LOOK_UP),
                (false, false) => None,
            };
            state = match patience.into_iter().chain(look_up).min() {
                Some(patience) => match self.driver_called.wait_timeout(state, patience) {
                    Ok((state, _)) => state,
                    Err(poisoned) => poisoned.into_inner().0,
                },
                None => match self.driver_called.wait(state) {
                    Ok(state) => state,
                    Err(poisoned) => poisoned.into_inner(),
                },
            };
        }
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
        let state = self.lock();
        self.callers.load(Ordering::Acquire) == 0 && !state.driven && !state.saving
    }

    fn retire(&self) {
        Holding::retire(self, false);
    }

    fn save(self: Arc<Self>) -> io::Result<()> {
        saving::spawn(&self)
    }

    fn is_ours(&self) -> bool {
        self.is_current()
    }

    fn about(&self) -> String {
        self.kind.subject().to_string()
    }
}
