//! Quotas in use by principals: IDs of the day, and worker numbers. Each server counts for itself, in
//! memory: a restart begins at zero.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use leafid_core::{Code, Layout, Name, Release, StoreTime, Token, WindowGrant};
use leafid_store::problem::{Figure, Problem};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::principal::Principal;

const DAY_MS: i64 = 86_400_000;
/// The longest `Retry-After`: an operator may raise a quota at any time.
const LONGEST_PAUSE_MS: i64 = 60_000;
/// Requests of one principal under way at most: a flood of one leaves room for the others.
const UNDER_WAY: usize = 1_024;

#[derive(Debug)]
pub struct Meter {
    used: Mutex<Used>,
    room: Arc<Semaphore>,
}

impl Default for Meter {
    fn default() -> Meter {
        Meter { used: Mutex::default(), room: Arc::new(Semaphore::new(UNDER_WAY)) }
    }
}

#[derive(Debug, Default)]
struct Used {
    /// The day (UTC, days since 1970) that `ids` counts.
    day: i64,
    ids: u64,
    asking: usize,
    numbers: BTreeMap<(Name, u32), Held>,
}

#[derive(Debug)]
struct Held {
    /// The request that was granted it.
    key: Token,
    /// Until when it counts: it cannot be granted to another holder before.
    until: StoreTime,
    layout: Layout,
}

impl Meter {
    /// Admits a request; its permit is held until it is answered.
    pub fn enter(&self, who: &Principal) -> Result<OwnedSemaphorePermit, Problem> {
        Arc::clone(&self.room).try_acquire_owned().map_err(|_| {
            let detail = format!(
                "principal `{}` has {UNDER_WAY} requests under way already; ask again later",
                who.name
            );
            Problem::new(Code::Overloaded, detail)
        })
    }

    pub fn take(&self, who: &Principal, ids: u64, now: StoreTime) -> Result<(), Problem> {
        let Some(most) = who.ids_per_day else { return Ok(()) };
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let day = now.get().div_euclid(DAY_MS);
        if used.day != day {
            (used.day, used.ids) = (day, 0);
        }
        if ids <= most.saturating_sub(used.ids) {
            used.ids += ids;
            return Ok(());
        }
        let detail = format!(
            "principal `{}` has used {} of its {most} IDs of this day (UTC), and asks for {ids} more; \
             wait for the next day, or ask the operator for more",
            who.name, used.ids
        );
        let problem = Problem::new(Code::QuotaExceeded, detail);
        let problem = problem.with("used", Figure::Big(used.ids)).with("quota", Figure::Big(most));
        let midnight = DAY_MS - now.get().rem_euclid(DAY_MS);
        let pause = u32::try_from(midnight.clamp(1, LONGEST_PAUSE_MS)).ok();
        Err(Problem { retry_after_ms: pause, ..problem })
    }

    pub fn give_back(&self, who: &Principal, ids: u64) {
        if who.ids_per_day.is_some() {
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            used.ids = used.ids.saturating_sub(ids);
        }
    }

    /// Admits an ask for one more worker number, or for one that the principal holds already.
    pub fn ask(
        self: &Arc<Self>,
        who: &Principal,
        request: Token,
        now: StoreTime,
    ) -> Result<Asking, Problem> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.numbers.retain(|_, held| held.until > now);
        let held = used.numbers.len() + used.asking;
        let is_again = used.numbers.values().any(|held| held.key == request);
        if held < who.workers as usize || is_again {
            used.asking += 1;
            return Ok(Asking(Arc::clone(self)));
        }
        let detail = format!(
            "principal `{}` has {held} worker numbers that it holds or whose windows are not over, and \
             may have {}; stop some of its processes, or ask the operator for more",
            who.name, who.workers
        );
        let first = used.numbers.values().map(|held| held.until.since(now)).min().unwrap_or(0);
        let pause = u32::try_from(first.clamp(1, 10_000)).ok();
        let problem = Problem::new(Code::QuotaExceeded, detail);
        let problem = problem.with("quota", Figure::Number(who.workers.into()));
        Err(Problem { retry_after_ms: pause, ..problem })
    }

    pub fn holds(&self, namespace: Name, grant: &WindowGrant, key: Token) {
        let (layout, until) = (grant.layout, grant.layout.time(grant.ticks.end));
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let held = used.numbers.entry((namespace, grant.worker));
        let held = held.or_insert(Held { key, until, layout });
        *held = Held { key, until: held.until.max(until), layout };
    }

    /// Notes that the principal released a number, from a tick on.
    pub fn lets_go(&self, release: &Release) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = used.numbers.get_mut(&(release.namespace, release.worker))
            && held.key == release.key
        {
            held.until = held.until.min(held.layout.time(release.unused_from));
        }
    }
}

/// A request for a worker number under way.
#[derive(Debug)]
pub struct Asking(Arc<Meter>);

impl Drop for Asking {
    fn drop(&mut self) {
        let mut used = self.0.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.asking = used.asking.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_one_principal_finds_its_own_end() {
        let (who, other) = (Principal::named("a"), Principal::named("b"));
        let (flooded, quiet) = (Meter::default(), Meter::default());
        let mut held: Vec<_> =
            (0..UNDER_WAY).map(|_| flooded.enter(&who).expect("there is room")).collect();
        let refused = flooded.enter(&who).expect_err("there is none");
        assert_eq!((refused.code, refused.retry_after_ms), (Code::Overloaded, Some(100)));
        let beside = quiet.enter(&other).expect("another's is its own");
        held.pop();
        held.push(flooded.enter(&who).expect("one is answered"));
        assert_eq!(held.len(), UNDER_WAY);
        drop(beside);
    }

    #[test]
    fn a_day_has_so_many_ids_and_the_next_has_as_many() {
        let (meter, mut who) = (Meter::default(), Principal::named("a"));
        let noon = StoreTime::new(DAY_MS * 20_000 + DAY_MS / 2);
        meter.take(&who, u64::MAX, noon).unwrap();
        who.ids_per_day = Some(100);
        meter.take(&who, 60, noon).unwrap();
        let refused = meter.take(&who, 41, noon).unwrap_err();
        assert_eq!((refused.code, refused.retry_after_ms), (Code::QuotaExceeded, Some(60_000)));
        assert!(refused.detail.contains("used 60 of its 100"), "{refused}");
        meter.take(&who, 40, noon).unwrap();
        meter.give_back(&who, 10);
        meter.take(&who, 10, noon).unwrap();
        assert!(meter.take(&who, 1, noon).is_err());
        let late = StoreTime::new(DAY_MS * 20_001 - 5);
        assert_eq!(meter.take(&who, 1, late).unwrap_err().retry_after_ms, Some(5));
        meter.take(&who, 100, late.plus(5)).unwrap();
    }
}
