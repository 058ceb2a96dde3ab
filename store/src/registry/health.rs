//! The health of the store: how the last write ended, which the log and `/readyz` tell.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use leafid_core::{HostTime, StoreTime};

use crate::problem::Problem;
use crate::rate::Rate;

/// How long the outcome of a write counts for the next.
const RECENT: Duration = Duration::from_secs(1);

/// How long a turn may take, in ms, before the back end counts as hanging.
const HANGS_MS: i64 = 5_000;

/// How long a turn waits, in ms, before the back end counts as locked.
const LONG_MS: i64 = 500;

static FAILED: Rate = Rate::new();

#[derive(Debug, Default)]
pub struct Health(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    last: Option<(Instant, Result<(), Problem>)>,
    told: Option<(StoreTime, HostTime)>,
    waits: Option<HostTime>,
}

impl Health {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn recent(&self) -> Option<Result<(), Problem>> {
        let known = self.lock();
        let (at, outcome) = known.last.as_ref()?;
        (at.elapsed() < RECENT).then(|| outcome.clone())
    }

    pub fn wait(&self, boot: HostTime) {
        self.lock().waits = Some(boot);
    }

    pub fn tell(&self, now: StoreTime, boot: HostTime) {
        let mut known = self.lock();
        (known.waits, known.told) = (None, Some((now, boot)));
    }

    /// The store's time during a long turn, judged by how the last turn ended and whether this one began.
    pub fn state(&self, boot: HostTime) -> Result<StoreTime, Problem> {
        let known = self.lock();
        if let Some((_, Err(problem))) = &known.last {
            return Err(problem.clone());
        }
        if let Some(waited) = known.waits.map(|since| boot.since(since)).filter(|ms| *ms >= LONG_MS)
        {
            return Err(Problem::unavailable(format!(
                "the store is locked by another program, or does not answer: a turn of this server \
                 has waited for it for {waited} ms"
            )));
        }
        let Some((now, at)) = known.told else {
            return Err(Problem::unavailable("the store has not answered yet"));
        };
        let ago = boot.since(at);
        if ago >= HANGS_MS {
            return Err(Problem::unavailable(format!("the store has not answered for {ago} ms")));
        }
        Ok(now.plus(ago.max(0)))
    }

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
        let before = self.lock().last.replace((Instant::now(), outcome.clone()));
        if let (Some((_, Err(_))), Ok(())) = (before, outcome) {
            tracing::info!("committed again");
        }
    }
}
