//! The driver: carries a generator's asks to its store, and lets callers wait for the answers.
//!
//! A [`Holding`] is what one process has of a generator: the lock-free line that callers draw from,
//! and behind a mutex the core's generator with its requests ([`state`]). All generators of one store
//! are in its [`Hub`], whose thread does their [`Errand`]s ([`thread`]): ask, release, rest. A caller
//! that finds nothing at hand makes a [`Call`] and waits in it ([`waiting`]); one in an event loop is
//! woken by a [`Bell`]. A forked child makes a holding of its own, which takes over only facts from the
//! parent's ([`kept`]). A state file has a second thread, which writes it ([`saving`]).

mod bell;
mod driven;
mod drives;
mod exit;
mod holding;
mod hub;
mod kept;
mod kind;
mod saving;
mod state;
mod thread;
mod waiting;

pub use bell::Bell;
pub use driven::Driven;
pub use exit::{forget_all, give_all_back, remember, retire_all, wait_for_all, wait_for_callers};
pub use holding::{Drawn, Holding};
pub use hub::{Hub, HubCell};
pub use kind::{Held, Kind, Segments, Snowflakes};
pub use state::{Errand, State};
pub use thread::spawn;
pub use waiting::{Blocked, Call, Waiting};

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
