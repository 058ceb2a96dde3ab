//! The driver: carries a generator's asks to its store, and lets callers wait for the answers.
//!
//! A [`Generator`] lives as long as its user wants, across forks. A [`Holding`] is what one process has
//! of it: the lock-free line that callers draw from, and behind a mutex the core's generator with its
//! requests (`state`). All holdings on one store are in its [`Hub`], whose thread carries their asks.
//! A caller that finds nothing at hand makes a [`Call`] and waits in it (`waiting`); one in an async
//! function or an event loop has a [`Seat`]. Where the store comes from is [`Chosen`]'s to say. A state file has a second thread, which writes it (`saving`).

mod asking;
mod chosen;
mod config;
mod counting;
mod generator;
mod holding;
mod hub;
mod live;
mod saving;
mod seat;
mod state;
mod waiting;

pub use chosen::Chosen;
pub use config::each;
pub use config::{Config, Core, Numbering, Snowflakes, state_path};
pub use counting::{Counting, InTurn, SideBySide, Uncounted};
pub use generator::Generator;
pub use holding::{Drawn, Holding};
pub use hub::Hub;
pub use live::{LAST_CALLERS, LAST_RELEASES, forget_all, give_all_back, retire_all, test, wait};
pub use seat::Seat;
pub use state::State;
pub use waiting::{Call, Caller, Waiting};

use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::Duration;

/// Waits for a call, at most for `most`, if given.
fn rest<'a, T>(
    called: &Condvar,
    held: MutexGuard<'a, T>,
    most: Option<Duration>,
) -> MutexGuard<'a, T> {
    match most {
        Some(most) => called.wait_timeout(held, most).unwrap_or_else(PoisonError::into_inner).0,
        None => called.wait(held).unwrap_or_else(PoisonError::into_inner),
    }
}
