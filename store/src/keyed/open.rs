//! Opens or makes a store, and reads its contents.

use std::collections::BTreeMap;
use std::time::Duration;

use leafid_core::{Name, StoreTime};

use super::Keyed;
use super::engine::{Commit, Ended, Engine, Folder, Identity, Key, SPACES, Set, Stored, TAGS};
use super::space::{Known, Space};
use super::text::{self, VERSION};
use crate::backends::Want;
use crate::backends::far::{Far, Meta};
use crate::backends::link::{Broken, Link};
use crate::backends::opening::{self, Found, NewStore, Unopened};
use crate::problem::Problem;

const PAGE: usize = 500;

impl<E: Engine> Far for Keyed<E> {
    type Client = E;

    const KEEPS: &'static str = "keys";
    const VERSION: i64 = VERSION;
    const NOTHING: &'static str = "has no store";
    const CLOCK: &'static str = "the clock that counts for this store";
    const OTHER: &'static str = "path";
    const CONNECTING: Duration = Duration::from_millis(2_500);
    /// Less than the 3 s after which a holder gives up an ask.
    const EXCHANGE: Duration = Duration::from_millis(2_500);
    const EXAMINING_WRITES: bool = true;

    async fn meta(engine: &mut E, place: &str) -> Result<Option<Meta>, Broken> {
        let stored = engine.survey(&[Key::Meta], &[]).await?.0.into_iter().flatten().next();
        let Some(stored) = stored else {
            let what = "another program has written there";
            return match engine.occupied().await? {
                true => Err(opening::foreign(place, what, "path").into()),
                false => Ok(None),
            };
        };
        text::read_meta(&stored).map(Some).map_err(|nonsense| {
            let what = format!("its key `{}` says: {nonsense}", engine.place(&Key::Meta));
            opening::foreign(place, &what, "path").into()
        })
    }

    async fn now(engine: &mut E) -> Result<Option<StoreTime>, Broken> {
        Ok(engine.told())
    }

    async fn make(engine: &mut E, place: &str, new: &NewStore) -> Result<bool, Unopened> {
        let (name, namespace) = new.namespace;
        let space = text::space(&Space::new(namespace));
        let made = engine.make(new.id, &text::meta(new), (name, &space)).await;
        made.map_err(|broken| broken.unopened::<Keyed<E>>(place))
    }

    fn over(mut link: Link<Keyed<E>>, _: &E) -> Keyed<E> {
        link.facts.abilities = E::ABILITIES;
        Keyed { link, spaces: BTreeMap::new(), turn: 1, connected: 0 }
    }

    fn link(&mut self) -> &mut Link<Keyed<E>> {
        &mut self.link
    }

    async fn fill(&mut self) -> Result<Found, Problem> {
        let mut counts = [0; 3];
        for (tag, stored) in self.all(TAGS).await? {
            counts[0] += u32::from(!self.tag(tag, &stored)?.row.deleted);
        }
        for (name, stored) in self.all(SPACES).await? {
            self.settle(name, Some(&stored))?;
            counts[1] += 1;
            let window_ms = |known: &Known| known.space.namespace.max_window_ms;
            counts[2] = self.spaces.get(&name).map_or(0, window_ms).max(counts[2]);
            let any = Want::Unused { namespace: name, from: 0, end: 0, count: 1 };
            self.look(&[any]).await?;
        }
        let beat = match self.one(Key::Beat).await? {
            Some(Stored { text, .. }) => {
                text::read_beat(&text).map_err(|nonsense| self.nonsense(&Key::Beat, &nonsense))?
            }
            None => StoreTime::new(0),
        };
        let latest = self.spaces.values().map(|known| known.latest()).max();
        let times = [latest.unwrap_or(StoreTime::new(0)), beat, self.link.meta.floor];
        Ok(Found::of(counts, times))
    }

    async fn lower(&mut self, now: StoreTime) -> Result<u64, Problem> {
        let mut commits = Vec::new();
        for (name, known) in &self.spaces {
            for (worker, mut held, revision) in known.later(now) {
                held.row.granted = now;
                let (key, before) = (Key::Worker(*name, worker), Some(revision));
                let set = Set { key, before, text: text::worker(&held) };
                commits.push(Commit { sets: vec![set], ..Commit::default() });
            }
        }
        let lowered = commits.len() as u64;
        let beat = Set { key: Key::Beat, before: None, text: text::beat(now) };
        commits.push(Commit { sets: vec![beat], ..Commit::default() });
        let store = self.identity();
        for some in commits.chunks(64) {
            let ended = self.link.ask(async |engine| Ok(engine.commit(store, some).await));
            if !ended.await?.iter().all(|ended| matches!(ended, Ended::Done { .. })) {
                let detail = "another server uses this store: stop all, then believe the clock";
                return Err(Problem::unavailable(detail));
            }
        }
        // The rows were changed, so they are read again on demand.
        self.spaces.clear();
        Ok(lowered)
    }
}

impl<E: Engine> Keyed<E> {
    async fn all(&mut self, folder: Folder) -> Result<Vec<(Name, Stored)>, Problem> {
        let mut all = Vec::new();
        loop {
            let after = all.last().map(|(name, _): &(Name, Stored)| *name);
            let list = self.list(folder, after, PAGE).await?;
            if list.is_empty() {
                return Ok(all);
            }
            all.extend(list);
        }
    }

    /// Reads one key.
    pub(super) async fn one(&mut self, key: Key) -> Result<Option<Stored>, Problem> {
        let survey = self.link.ask(async |engine| engine.survey(&[key], &[]).await);
        Ok(survey.await?.0.into_iter().flatten().next())
    }

    pub(super) fn identity(&self) -> Identity {
        Identity { store: self.link.meta.store, meta: self.link.meta.revision }
    }
}
