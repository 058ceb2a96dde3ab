//! The server's own generators, one per tag and per namespace, which make single IDs for HTTP requests.

pub mod driver;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leafid_core::registry::{DEFAULT_STEP, TagRow};
use leafid_core::{
    Code, Generator, Kind, Name, Segment, SegmentConfig, Segments, Snowflake, SnowflakeConfig,
    Snowflakes, StepPolicy,
};

use crate::meter::leases::{Named, OfSingle};
use crate::problem::{Figure, Problem};
use crate::random;
use crate::registry::explain::step_of_row;
use driver::{AtHand, Deps, Driver};

/// The most IDs of one request.
pub const MOST: u64 = 10_000;
/// The largest step, and so the largest gap in a tag's numbers after a crash of the server.
const STEP_CAP: u32 = 10_000;

/// All generators of one server, each made on first use.
pub struct Generators {
    deps: Deps,
    owner: Name,
    /// Whether this owner keeps its worker numbers.
    keeps: bool,
    tags: Pool<Segments>,
    /// The generation of the store when the tags' numbers were leased.
    generation: AtomicU64,
    namespaces: Pool<Snowflakes>,
}

struct Pool<S: Kind> {
    drivers: Mutex<HashMap<Name, Arc<Driver<S>>>>,
    /// The counts of handed-out IDs, which outlive the generators.
    counts: Named<OfSingle>,
}

impl<S: Kind + Send + 'static> Pool<S> {
    fn all(&self) -> MutexGuard<'_, HashMap<Name, Arc<Driver<S>>>> {
        self.drivers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, name: &Name) -> Option<Arc<Driver<S>>> {
        self.all().get(name).cloned()
    }

    async fn take<F: Future<Output = Result<Generator<S>, Problem>>>(
        &self,
        deps: &Deps,
        name: Name,
        count: u64,
        new: impl Fn() -> F,
    ) -> Result<Vec<u64>, Problem> {
        let count = checked(count)?;
        match self.try_take(deps, name, count, new()).await {
            // Another request or the tag's deletion closed the generator meanwhile: a new one asks
            // the store again.
            Err(problem) if problem.code == Code::Closed => {
                self.try_take(deps, name, count, new()).await
            }
            taken => taken,
        }
    }

    async fn try_take(
        &self,
        deps: &Deps,
        name: Name,
        count: usize,
        new: impl Future<Output = Result<Generator<S>, Problem>>,
    ) -> Result<Vec<u64>, Problem> {
        let driver = match self.get(&name) {
            Some(driver) => driver,
            None => {
                let made = Driver::new(new.await?, self.counts.of(&name, true));
                // If another request was faster, both use its generator.
                Arc::clone(self.all().entry(name).or_insert(made))
            }
        };
        let taken = driver.take(deps, count).await;
        // A generator that failed for good is dropped, so that the next request asks the store again: the
        // tag may exist by then. One that stopped because the store went back or was replaced stays and
        // keeps failing: a new one would lease what others hold. One with numbers left, but fewer than
        // wanted, stays, too.
        let over = |problem: &Problem| {
            let (code, spent) = (problem.code, problem.code == Code::TagSpent);
            code.is_permanent() && !code.stops() && !(spent && driver.in_hand() > 0)
        };
        if taken.as_ref().is_err_and(over) {
            if let Entry::Occupied(found) = self.all().entry(name)
                && Arc::ptr_eq(found.get(), &driver)
            {
                found.remove();
            }
            driver.close(deps).await;
        }
        taken
    }

    fn in_hand(&self) -> Vec<(Name, u64)> {
        self.all().iter().map(|(name, driver)| (*name, driver.in_hand())).collect()
    }

    async fn close(&self, deps: &Deps) {
        let all: Vec<_> = self.all().drain().collect();
        for (_, driver) in all {
            driver.close(deps).await;
        }
    }
}

impl<S: Kind> Default for Pool<S> {
    fn default() -> Pool<S> {
        Pool { drivers: Mutex::default(), counts: Named::default() }
    }
}

impl Generators {
    /// Makes an empty set of generators for the owner `kept`, which keeps its worker numbers, or for a
    /// fresh one, so that a restarted server is another holder.
    ///
    /// # Errors
    /// `INTERNAL` without randomness.
    pub fn new(deps: Deps, kept: Option<Name>) -> Result<Generators, Problem> {
        let label = u64::from_le_bytes(random::bytes()?);
        let fresh = Name::owner(&format!("leafid-serve/{label:016x}"))?;
        let (owner, keeps) = (kept.unwrap_or(fresh), kept.is_some());
        let (tags, generation, namespaces) = Default::default();
        Ok(Generators { deps, owner, keeps, tags, generation, namespaces })
    }

    /// Hands out `count` numbers of a tag, ascending.
    ///
    /// # Errors
    /// `COUNT_INVALID`, or why no numbers came in time.
    pub async fn numbers(&self, tag: Name, count: u64) -> Result<Vec<u64>, Problem> {
        let new = || {
            self.heed_fence();
            self.segment(tag)
        };
        self.tags.take(&self.deps, tag, count, new).await
    }

    /// Hands out `count` snowflake IDs of a namespace, ascending.
    ///
    /// # Errors
    /// `COUNT_INVALID`, or why no IDs came in time.
    pub async fn stamps(&self, namespace: Name, count: u64) -> Result<Vec<u64>, Problem> {
        let new = || async { self.snowflake(namespace) };
        self.namespaces.take(&self.deps, namespace, count, new).await
    }

    /// Hands out a number of a tag, if that needs no wait.
    pub fn number_at_hand(&self, tag: &Name) -> Option<u64> {
        self.heed_fence();
        self.tags.get(tag)?.at_once(&self.deps)
    }

    /// Hands out a snowflake ID of a namespace, if that needs no wait.
    pub fn stamp_at_hand(&self, namespace: &Name) -> Option<u64> {
        self.namespaces.get(namespace)?.at_once(&self.deps)
    }

    /// Whether there is a generator for the tag.
    pub fn knows_tag(&self, tag: &Name) -> bool {
        self.tags.get(tag).is_some()
    }

    /// The leased ranges of each tag.
    pub fn at_hand(&self) -> Vec<(Name, AtHand)> {
        self.tags.all().iter().map(|(tag, driver)| (*tag, driver.at_hand())).collect()
    }

    /// The counts of handed-out IDs, by kind (`segment` or `snowflake`) and name; those of the names together
    /// that are not counted separately under `None`.
    pub fn counted(&self) -> Vec<(&'static str, Option<Name>, Arc<OfSingle>)> {
        let (tags, spaces) = (self.tags.counts.each(), self.namespaces.counts.each());
        let all = tags.into_iter().map(|of| ("segment", of));
        let all = all.chain(spaces.into_iter().map(|of| ("snowflake", of)));
        all.map(|(kind, (name, counts))| (kind, name, counts)).collect()
    }

    /// How many IDs can be handed out without the store, by kind and name of the generator.
    pub fn in_hand(&self) -> Vec<(&'static str, Name, u64)> {
        let tags = self.tags.in_hand().into_iter().map(|(tag, n)| ("segment", tag, n));
        let spaces = self.namespaces.in_hand().into_iter().map(|(name, n)| ("snowflake", name, n));
        let mut all: Vec<_> = tags.chain(spaces).collect();
        all.sort();
        all
    }

    /// Drops all leased numbers after a fence: they may have been granted before the store went back.
    fn heed_fence(&self) {
        let generation = self.deps.store.generation();
        if self.generation.load(Ordering::Acquire) == generation {
            return;
        }
        let mut tags = self.tags.all();
        if self.generation.swap(generation, Ordering::AcqRel) != generation {
            for (_, driver) in tags.drain() {
                driver.retire();
            }
        }
    }

    /// Drops the leased numbers of a tag: it was deleted or moved, or a holder has shown that the store lost
    /// grants of it.
    pub fn drop_numbers(&self, tag: &Name) {
        let driver = self.tags.all().remove(tag);
        driver.map(|driver| driver.retire());
    }

    /// Closes all generators and releases their windows.
    pub async fn close(&self) {
        self.namespaces.close(&self.deps).await;
        self.tags.close(&self.deps).await;
    }

    async fn segment(&self, tag: Name) -> Result<Segment, Problem> {
        // The tag's own step limits how far the step may grow; a tag that its first use creates has none
        // yet.
        let own = match self.deps.store.tag(tag).await {
            // Possible in another program's table.
            Ok(TagRow { step: 0, .. }) => return Err(step_of_row(&tag)),
            Ok(row) => row.step.min(STEP_CAP),
            Err(problem) if problem.code == Code::TagUnknown => DEFAULT_STEP,
            Err(problem) => return Err(problem),
        };
        let policy = StepPolicy { max_growth: STEP_CAP / own, ..StepPolicy::default() };
        // Set past the check of `new`: another program's table may have names that it refuses.
        let usual = SegmentConfig::new("usual")?;
        let config = SegmentConfig { tag, step: Some(own), policy, ..usual };
        Ok(Segment::new(config, u64::from_le_bytes(random::bytes()?))?)
    }

    fn snowflake(&self, namespace: Name) -> Result<Snowflake, Problem> {
        let config = SnowflakeConfig::new(namespace.as_str(), self.owner.as_str())?;
        let config = SnowflakeConfig { sticky: self.keeps, ..config };
        Ok(Snowflake::new(config, u64::from_le_bytes(random::bytes()?))?)
    }
}

fn checked(count: u64) -> Result<usize, Problem> {
    match usize::try_from(count) {
        Ok(count) if (1..=MOST as usize).contains(&count) => Ok(count),
        _ => {
            let detail = format!("count must be 1 to {MOST}, got `{count}`");
            Err(Problem::new(Code::CountInvalid, detail).with("max_count", Figure::Number(MOST)))
        }
    }
}
