//! How the last writing ended: whether the next would succeed, and what the log says of it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use leafid_core::{HostTime, StoreTime};

use crate::problem::Problem;
use crate::rate::Rate;

/// How long a write tells how the next would end.
const RECENT: Duration = Duration::from_secs(1);

/// A back end that has begun no turn for this long, in ms, while one is wanted, hangs.
const HANGS_MS: i64 = 5_000;

static FAILED: Rate = Rate::new();

/// What the registry notes, and whoever asks reads.
#[derive(Debug, Default)]
pub struct Health {
    /// When something was written last, or failed to be.
    last: Mutex<Option<(Instant, Result<(), Problem>)>>,
    /// The store's time when it was told last, and when that was.
    told: Mutex<Option<(StoreTime, HostTime)>>,
    /// Since when a turn waits for the back end to begin it.
    waits: Mutex<Option<HostTime>>,
}

impl Health {
    /// How the last write ended, if that is not long ago.
    pub fn recent(&self) -> Option<Result<(), Problem>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, outcome) = last.as_ref()?;
        (at.elapsed() < RECENT).then(|| outcome.clone())
    }

    /// Notes that a turn is wanted of the back end.
    pub fn wait(&self, boot: HostTime) {
        *self.waits.lock().unwrap_or_else(PoisonError::into_inner) = Some(boot);
    }

    /// Notes that the back end has begun a turn, and the time that it told.
    pub fn tell(&self, now: StoreTime, boot: HostTime) {
        *self.waits.lock().unwrap_or_else(PoisonError::into_inner) = None;
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, boot));
    }

    /// The store's time, while a turn takes long: as the last turn ended and this one began.
    pub fn state(&self, boot: HostTime) -> Result<StoreTime, Problem> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, Err(problem))) = last {
            return Err(problem);
        }
        if let Some(since) = *self.waits.lock().unwrap_or_else(PoisonError::into_inner) {
            let waited = boot.since(since);
            return Err(Problem::unavailable(format!(
                "the store is locked by another program, or does not answer: a turn of this server \
                 has waited for it for {waited} ms"
            )));
        }
        match *self.told.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((now, at)) if boot.since(at) < HANGS_MS => Ok(now.plus(boot.since(at).max(0))),
            Some((_, at)) => {
                let hung = boot.since(at);
                Err(Problem::unavailable(format!("the store has not answered for {hung} ms")))
            }
            None => Err(Problem::unavailable("the store has not answered yet")),
        }
    }

    /// Notes how a turn of that many requests ended, and whether it wrote anything.
    pub fn ended(&self, outcome: &Result<(), Problem>, wrote: bool, requests: usize) {
        if let Err(problem) = outcome
            && let Some(left_out) = FAILED.admit(problem.code)
        {
            let (code, detail) = (problem.code, &problem.detail);
            tracing::error!(%code, requests, left_out, "not committed: {detail}");
        }
        if outcome.is_ok() && !wrote {
            return;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last.replace((Instant::now(), outcome.clone()));
        drop(last);
        if let (Some((_, Err(_))), Ok(())) = (before, outcome) {
            tracing::info!("committed again");
        }
    }
}
