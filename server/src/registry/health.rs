//! How the last writing ended: whether the next would succeed, and what the log says of it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::log::Rate;
use crate::problem::Problem;

/// For so long a write tells how the next would end.
const RECENT: Duration = Duration::from_secs(1);

static FAILED: Rate = Rate::new();

/// What the registry notes, and whoever asks reads.
#[derive(Debug, Default)]
pub struct Health {
    /// When something was written last, or failed to be.
    last: Mutex<Option<(Instant, Result<(), Problem>)>>,
}

impl Health {
    /// How the last write ended, if that is not long ago.
    pub fn recent(&self) -> Option<Result<(), Problem>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, outcome) = last.as_ref()?;
        (at.elapsed() < RECENT).then(|| outcome.clone())
    }

    /// Notes how a turn of so many requests ended, and whether it wrote anything.
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
