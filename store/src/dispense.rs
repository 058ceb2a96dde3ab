//! The server's own generators, for single IDs over HTTP: one per tag, one per namespace.

pub mod driver;

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use leafid_core::registry::{DEFAULT_STEP, TagRow};
use leafid_core::{
    Code, Kind, Name, Segment, SegmentConfig, Segments, Snowflake, SnowflakeConfig, Snowflakes,
    StepPolicy,
};

use crate::meter::leases::{Named, OfSingle};
use crate::problem::{Figure, Problem};
use crate::random;
use crate::registry::explain::step_of_row;
use driver::{AtHand, Deps, Driver};

/// The most IDs of one request.
pub const MOST: u64 = 10_000;
/// A server that dies leaves a gap of this many numbers per tag at most.
const STEP_CAP: u32 = 10_000;

/// All generators of one server. They are made on first use.
pub struct Generators {
    deps: Deps,
    owner: Name,
    /// Whether this owner keeps its worker numbers.
    keeps: bool,
    tags: Map<Segments>,
    /// How often the store had been fenced when their numbers were leased.
    generation: AtomicU64,
    namespaces: Map<Snowflakes>,
    /// What was handed out, by tag and by namespace; a generator comes and goes, this stays.
    counts: (Named<OfSingle>, Named<OfSingle>),
}

/// What the server handed out under a name, all that are not counted by name together.
pub struct Single {
    /// `segment` or `snowflake`.
    pub kind: &'static str,
    /// The tag or the namespace.
    pub name: Option<Name>,
    /// What was counted.
    pub counts: Arc<OfSingle>,
}

type Map<S> = Mutex<HashMap<Name, Arc<Driver<S>>>>;

impl Generators {
    /// None yet, under this owner, who keeps its worker numbers, or under a fresh one: then a server that
    /// starts again is another holder.
    ///
    /// # Errors
    /// `INTERNAL` without randomness.
    pub fn new(deps: Deps, kept: Option<Name>) -> Result<Generators, Problem> {
        let label = u64::from_le_bytes(random::bytes()?);
        let fresh = Name::owner(&format!("leafid-serve/{label:016x}"))?;
        let (owner, keeps) = (kept.unwrap_or(fresh), kept.is_some());
        let (tags, generation, namespaces, counts) = Default::default();
        Ok(Generators { deps, owner, keeps, tags, generation, namespaces, counts })
    }

    /// `count` numbers of a tag, ascending.
    ///
    /// # Errors
    /// `COUNT_INVALID`, and why none came in time.
    pub async fn numbers(&self, tag: Name, count: u64) -> Result<Vec<u64>, Problem> {
        let count = checked(count)?;
        match self.try_numbers(tag, count).await {
            // Another request, or the tag's deletion, closed the generator meanwhile: a new one
            // hears from the store how it is now.
            Err(problem) if problem.code == Code::Closed => self.try_numbers(tag, count).await,
            taken => taken,
        }
    }

    async fn try_numbers(&self, tag: Name, count: usize) -> Result<Vec<u64>, Problem> {
        self.heed_fence();
        let driver = match get(&self.tags, &tag) {
            Some(driver) => driver,
            None => insert(&self.tags, tag, self.segment(tag).await?),
        };
        let taken = driver.take(&self.deps, count).await;
        self.settle(&self.tags, &tag, &driver, taken).await
    }

    /// `count` snowflake IDs of a namespace, ascending.
    ///
    /// # Errors
    /// `COUNT_INVALID`, and why none came in time.
    pub async fn stamps(&self, namespace: Name, count: u64) -> Result<Vec<u64>, Problem> {
        let count = checked(count)?;
        match self.try_stamps(namespace, count).await {
            Err(problem) if problem.code == Code::Closed => self.try_stamps(namespace, count).await,
            taken => taken,
        }
    }

    async fn try_stamps(&self, namespace: Name, count: usize) -> Result<Vec<u64>, Problem> {
        let driver = match get(&self.namespaces, &namespace) {
            Some(driver) => driver,
            None => insert(&self.namespaces, namespace, self.snowflake(namespace)?),
        };
        let taken = driver.take(&self.deps, count).await;
        self.settle(&self.namespaces, &namespace, &driver, taken).await
    }

    /// A number of a tag, where one can be had without waiting.
    pub fn number_at_hand(&self, tag: &Name) -> Option<u64> {
        self.heed_fence();
        get(&self.tags, tag)?.at_once(&self.deps)
    }

    /// A snowflake ID of a namespace, where one can be had without waiting.
    pub fn stamp_at_hand(&self, namespace: &Name) -> Option<u64> {
        get(&self.namespaces, namespace)?.at_once(&self.deps)
    }

    /// Whether numbers of the tag were handed out here, and nothing has stopped that since.
    pub fn knows_tag(&self, tag: &Name) -> bool {
        get(&self.tags, tag).is_some()
    }

    /// What is at hand of the numbers of each tag.
    pub fn at_hand(&self) -> Vec<(Name, AtHand)> {
        let tags = self.tags.lock().unwrap_or_else(PoisonError::into_inner);
        tags.iter().map(|(tag, driver)| (*tag, driver.at_hand())).collect()
    }

    /// What was handed out.
    pub fn counted(&self) -> Vec<Single> {
        let (tags, spaces) = (self.counts.0.each(), self.counts.1.each());
        let all = tags.into_iter().map(|of| ("segment", of));
        let all = all.chain(spaces.into_iter().map(|of| ("snowflake", of)));
        all.map(|(kind, (name, counts))| Single { kind, name, counts }).collect()
    }

    /// What can be handed out without the store: the kind and the name of the generator, and how many
    /// IDs.
    pub fn in_hand(&self) -> Vec<(&'static str, Name, u64)> {
        let mut all = Vec::new();
        for (tag, driver) in copied(&self.tags) {
            all.push(("segment", tag, driver.in_hand()));
        }
        for (namespace, driver) in copied(&self.namespaces) {
            all.push(("snowflake", namespace, driver.in_hand()));
        }
        all.sort_by_key(|(kind, name, _)| (*kind, *name));
        all
    }

    /// Drops all numbers at hand once the store was fenced: they may have been granted before it went back.
    fn heed_fence(&self) {
        let generation = self.deps.store.generation();
        if self.generation.load(Ordering::Acquire) == generation {
            return;
        }
        let mut tags = self.tags.lock().unwrap_or_else(PoisonError::into_inner);
        if self.generation.swap(generation, Ordering::AcqRel) != generation {
            for (_, driver) in tags.drain() {
                driver.retire();
            }
        }
    }

    /// Drops the numbers at hand of a tag of which a holder has shown that the store lost grants.
    pub fn drop_numbers(&self, tag: &Name) {
        let driver = self.tags.lock().unwrap_or_else(PoisonError::into_inner).remove(tag);
        if let Some(driver) = driver {
            driver.retire();
        }
    }

    /// Hands out no more numbers of a tag: it was deleted.
    pub async fn forget_tag(&self, tag: &Name) {
        let driver = self.tags.lock().unwrap_or_else(PoisonError::into_inner).remove(tag);
        if let Some(driver) = driver {
            driver.close(&self.deps).await;
        }
    }

    /// Closes all of them; windows are given back.
    pub async fn close(&self) {
        for driver in drain(&self.namespaces) {
            driver.close(&self.deps).await;
        }
        for driver in drain(&self.tags) {
            driver.close(&self.deps).await;
        }
    }

    async fn segment(&self, tag: Name) -> Result<Arc<Driver<Segments>>, Problem> {
        // The tag's own step decides how far the step may grow; a tag that is made by its first
        // use has none yet.
        let own = match self.deps.store.tag(tag).await {
            // Another program's table may say so.
            Ok(TagRow { step: 0, .. }) => return Err(step_of_row(&tag)),
            Ok(row) => row.step.min(STEP_CAP),
            Err(problem) if problem.code == Code::TagUnknown => DEFAULT_STEP,
            Err(problem) => return Err(problem),
        };
        let policy = StepPolicy { max_growth: STEP_CAP / own, ..StepPolicy::default() };
        // Another program's table may have names that are none of ours, and this one is there.
        let usual = SegmentConfig::new("usual")?;
        let config = SegmentConfig { tag, step: Some(own), policy, ..usual };
        let counts = self.counts.0.of(&tag, true);
        Ok(Driver::new(Segment::new(config, u64::from_le_bytes(random::bytes()?))?, counts))
    }

    fn snowflake(&self, namespace: Name) -> Result<Arc<Driver<Snowflakes>>, Problem> {
        let config = SnowflakeConfig::new(namespace.as_str(), self.owner.as_str())?;
        let config = SnowflakeConfig { sticky: self.keeps, ..config };
        let counts = self.counts.1.of(&namespace, true);
        Ok(Driver::new(Snowflake::new(config, u64::from_le_bytes(random::bytes()?))?, counts))
    }

    /// A generator that failed for good is dropped, so that the next request asks anew: the tag
    /// may have been created by then.
    async fn settle<S: Kind + Send + 'static>(
        &self,
        map: &Map<S>,
        name: &Name,
        driver: &Arc<Driver<S>>,
        taken: Result<Vec<u64>, Problem>,
    ) -> Result<Vec<u64>, Problem> {
        // One that stopped because the store went back or was replaced stays, and goes on saying
        // so: a new one would lease again what others hold.
        // So does one that has some numbers left, but not as many as were wanted.
        let over = |problem: &Problem| {
            let (code, spent) = (problem.code, problem.code == Code::TagSpent);
            code.is_permanent() && !code.stops() && !(spent && driver.has_some())
        };
        if taken.as_ref().is_err_and(over) {
            remove(map, name, driver);
            driver.close(&self.deps).await;
        }
        taken
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

fn get<K: Hash + Eq, V: Clone>(map: &Mutex<HashMap<K, V>>, key: &K) -> Option<V> {
    map.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
}

/// Puts it in, unless another request was faster: then that one's is used by both.
fn insert<K: Hash + Eq, V: Clone>(map: &Mutex<HashMap<K, V>>, key: K, value: V) -> V {
    map.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(value).clone()
}

fn remove<K: Hash + Eq, V>(map: &Mutex<HashMap<K, Arc<V>>>, key: &K, value: &Arc<V>) {
    let mut map = map.lock().unwrap_or_else(PoisonError::into_inner);
    if map.get(key).is_some_and(|found| Arc::ptr_eq(found, value)) {
        map.remove(key);
    }
}

fn copied<K: Clone, V: Clone>(map: &Mutex<HashMap<K, V>>) -> Vec<(K, V)> {
    let map = map.lock().unwrap_or_else(PoisonError::into_inner);
    map.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn drain<K: Hash + Eq, V>(map: &Mutex<HashMap<K, V>>) -> Vec<V> {
    map.lock().unwrap_or_else(PoisonError::into_inner).drain().map(|(_, value)| value).collect()
}
