//! An overview of the store's contents. It is refreshed only on request, and rarely enough to
//! cost little: in between, the last one is given.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use leafid_core::registry::{Namespace, TagRow};
use leafid_core::{Code, Name};
use leafid_store::problem::Problem;
use leafid_store::registry::{Answer, Registry};
use leafid_store::store::Page;

use super::numbers::{Numbers, State};
use super::rate::Track;

/// Tags in the overview at most: the first by name, and those leased from through this server.
pub const TAGS: u32 = 1_000;
pub const SPACES: u32 = 100;
const ROWS: u32 = 1_000;
/// The shortest time between two refreshes.
const APART: Duration = Duration::from_millis(1_500);
/// After a refresh that took long, the next waits this many times as long.
const REST: u32 = 20;
/// How long a request waits for a refresh before it is given the last overview.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TagSight {
    pub tag: Name,
    pub row: TagRow,
    /// Numbers leased per second at present, by all servers.
    pub per_second: Option<f64>,
}

#[derive(Clone, Debug, Default)]
pub struct TagSights {
    pub tags: Vec<TagSight>,
    pub more: bool,
}

#[derive(Clone, Debug)]
pub struct SpaceSight {
    pub name: Name,
    pub numbers: Arc<Numbers>,
    /// Growth of the numbers in use, per second at present.
    pub per_second: Option<f64>,
}

#[derive(Debug, Default)]
struct Seen<T> {
    /// The last overview, and until when it is recent.
    last: Mutex<Option<(Instant, Arc<T>)>>,
    /// One refresh at a time.
    looking: tokio::sync::Mutex<BTreeMap<Name, Track>>,
}

type Look<T> =
    for<'a> fn(&'a Registry, &'a mut BTreeMap<Name, Track>) -> Pin<Box<dyn Answer<T> + 'a>>;

impl<T: Send + Sync + 'static> Seen<T> {
    /// Gives a recent overview, or refreshes it; if that takes long, the last one.
    async fn told(
        self: &Arc<Self>,
        store: &Arc<Registry>,
        look: Look<T>,
    ) -> Result<Arc<T>, Problem> {
        let (seen, store) = (Arc::clone(self), Arc::clone(store));
        // It runs on if the request is dropped: the next one gets its result.
        let looking = tokio::spawn(async move { seen.look(&store, look).await });
        match tokio::time::timeout(PATIENCE, looking).await {
            Ok(Ok(seen)) => seen,
            Ok(Err(error)) => {
                Err(Problem::new(Code::Internal, format!("the look at the store failed: {error}")))
            }
            Err(_) => {
                let last = self.last().clone().map(|(_, seen)| seen);
                last.ok_or_else(|| Problem::unavailable("the store is still being read; ask again"))
            }
        }
    }

    async fn look(&self, store: &Registry, look: Look<T>) -> Result<Arc<T>, Problem> {
        let mut tracks = self.looking.lock().await;
        let began = Instant::now();
        let last = self.last().clone();
        if let Some((_, recent)) = last.filter(|(until, _)| began < *until) {
            return Ok(recent);
        }
        let seen = Arc::new(look(store, &mut tracks).await?);
        let apart = APART.max(began.elapsed() * REST);
        *self.last() = Some((Instant::now() + apart, Arc::clone(&seen)));
        Ok(seen)
    }

    fn last(&self) -> MutexGuard<'_, Option<(Instant, Arc<T>)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Default)]
pub struct Census {
    tags: Arc<Seen<TagSights>>,
    spaces: Arc<Seen<Vec<SpaceSight>>>,
}

impl Census {
    pub async fn tags(&self, store: &Arc<Registry>) -> Result<Arc<TagSights>, Problem> {
        self.tags.told(store, |store, tracks| Box::pin(tags(store, tracks))).await
    }

    pub async fn spaces(&self, store: &Arc<Registry>) -> Result<Arc<Vec<SpaceSight>>, Problem> {
        self.spaces.told(store, |store, tracks| Box::pin(spaces(store, tracks))).await
    }

    /// A namespace and its numbers, also one that the overview leaves out.
    pub async fn space(&self, store: &Arc<Registry>, name: Name) -> Result<Arc<Numbers>, Problem> {
        let spaces = self.spaces(store).await?;
        if let Some(seen) = spaces.iter().find(|space| space.name == name) {
            return Ok(Arc::clone(&seen.numbers));
        }
        let row = store.namespace(name).await?;
        Ok(Arc::new(numbers(store.as_ref(), name, row).await?))
    }
}

async fn tags(store: &Registry, tracks: &mut BTreeMap<Name, Track>) -> Result<TagSights, Problem> {
    let rows = store.tags(Page { after: None, limit: TAGS }).await?;
    let more = rows.len() >= TAGS as usize;
    let mut rows: BTreeMap<Name, TagRow> = rows.into_iter().collect();
    if more {
        // Tags in use matter more than the first ones by name.
        let leased = store.leases().tags.each().into_iter().filter_map(|(tag, _)| tag);
        let missing = leased.filter(|tag| !rows.contains_key(tag));
        let read = missing.map(|tag| async move { (tag, store.tag(tag).await) });
        let read = join_all(read).await;
        rows.extend(read.into_iter().filter_map(|(tag, row)| Some((tag, row.ok()?))));
    }
    tracks.retain(|tag, _| rows.contains_key(tag));
    let at = Instant::now();
    let tags = rows.into_iter().map(|(tag, row)| {
        let per_second = tracks.entry(tag).or_default().note(at, row.max_id);
        TagSight { tag, row, per_second }
    });
    Ok(TagSights { tags: tags.collect(), more })
}

async fn spaces(
    store: &Registry,
    tracks: &mut BTreeMap<Name, Track>,
) -> Result<Vec<SpaceSight>, Problem> {
    let rows = store.namespaces(Page { after: None, limit: SPACES }).await?;
    tracks.retain(|known, _| rows.iter().any(|(name, _)| name == known));
    let mut spaces = Vec::new();
    for (name, row) in rows {
        let numbers = Arc::new(numbers(store, name, row).await?);
        let used = [State::Held, State::Resting, State::Aside];
        let used = used.into_iter().map(|state| numbers.count(state)).sum();
        let per_second = tracks.entry(name).or_default().note(Instant::now(), used);
        spaces.push(SpaceSight { name, numbers, per_second });
    }
    Ok(spaces)
}

async fn numbers(store: &Registry, name: Name, row: Namespace) -> Result<Numbers, Problem> {
    let mut numbers = Numbers::fresh(row, store.now().await?);
    // Rows outside of its range are not read.
    let mut after = u32::try_from(row.workers.start).ok().and_then(|start| start.checked_sub(1));
    loop {
        let rows = store.workers(name, Page { after, limit: ROWS }).await?;
        let whole = rows.len() < ROWS as usize;
        let beyond = rows.last().is_none_or(|(last, _)| u64::from(*last) + 1 >= row.workers.end);
        after = rows.last().map(|(last, _)| *last);
        rows.into_iter().for_each(|row| numbers.row(row));
        if whole || beyond {
            return Ok(numbers.done());
        }
    }
}

#[cfg(test)]
mod tests {
    use leafid_core::{SegmentAsk, Token};
    use leafid_store::backends::opening::Options;
    use leafid_store::clock::SystemClock;
    use leafid_store::opening::open_sqlite;
    use leafid_store::store::TagChange;

    use super::*;

    /// The time limit of a wait, for a busy machine.
    const LATE: Duration = Duration::from_secs(120);

    fn name(n: u32) -> Name {
        Name::tag(&format!("t{n:05}")).unwrap()
    }

    /// A store with this number of tags.
    async fn store(folder: &tempfile::TempDir, tags: u32) -> Arc<Registry> {
        let options = Options { create: true, ..Options::default() };
        let file = folder.path().join("store.db");
        let store = open_sqlite(&file, Arc::new(SystemClock), &options).unwrap();
        let store = Arc::new(store);
        let put = (0..tags).map(|n| store.put_tag(name(n), TagChange::default()));
        for put in join_all(put).await {
            put.unwrap();
        }
        store
    }

    /// The tags in a census; tries again where this machine is too busy to look at once.
    async fn tags(census: &Census, store: &Arc<Registry>) -> Arc<TagSights> {
        let begun = Instant::now();
        loop {
            match census.tags(store).await {
                Ok(seen) => return seen,
                Err(problem) => assert!(begun.elapsed() < LATE, "{problem}"),
            }
        }
    }

    #[tokio::test]
    async fn who_asks_together_or_soon_after_is_told_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let (store, census) = (store(&folder, 3).await, Census::default());
        let begun = Instant::now();
        let looks = join_all((0..20).map(|_| tags(&census, &store)));
        let mut seen = looks.await;
        assert!(seen.iter().all(|seen| (seen.tags.len(), seen.more) == (3, false)));
        seen.dedup_by(|one, other| Arc::ptr_eq(one, other));
        let most = 1 + begun.elapsed().as_millis() / APART.as_millis();
        assert!(seen.len() as u128 <= most, "{} looks, not {most}", seen.len());
        // A later caller is told of changes since.
        store.delete_tag(name(0)).await.unwrap();
        let begun = Instant::now();
        while tags(&census, &store).await.tags.len() != 2 {
            assert!(begun.elapsed() < LATE);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    #[tokio::test]
    async fn of_more_tags_than_are_seen_those_that_are_leased_from_are() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder, TAGS + 50).await;
        let last = name(TAGS + 49);
        let ask = SegmentAsk::new(last, Token::new([7; 16]));
        store.lease_segment(ask).await.unwrap();
        let seen = tags(&Census::default(), &store).await;
        assert_eq!((seen.tags.len(), seen.more), (TAGS as usize + 1, true));
        assert_eq!(seen.tags.last().map(|sight| sight.tag), Some(last));
    }

    #[tokio::test]
    async fn a_namespace_that_is_not_there_is_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let (store, census) = (store(&folder, 0).await, Census::default());
        let space = |text| Name::namespace(text).unwrap();
        let numbers = census.space(&store, space("default")).await.unwrap();
        assert_eq!(numbers.count(State::Fresh), numbers.namespace.workers.len());
        let refused = census.space(&store, space("nothere")).await.unwrap_err();
        assert_eq!(refused.code, Code::NamespaceUnknown);
    }
}
