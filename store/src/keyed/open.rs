//! Opening a store: what it must be and hold, and its making where that was asked for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use leafid_core::{Code, StoreTime};
use tokio::time::timeout;

use super::Keyed;
use super::engine::{
    Before, Broken, Commit, Ended, Engine, Folder, Identity, Key, Set, Stored, Touch, bucket,
};
use super::link::{CONNECTING, Link, said, unopened_code};
use super::moves::Moves;
use super::space::Space;
use super::text::{self, Meta, VERSION};
use crate::backends::clock::DatabaseClock;
use crate::backends::opening::{Found, Options, Terms, Unopened, apart, words};
use crate::backends::{Fault, Want};
use crate::clock::{self, Clock, RegistryTime};
use crate::problem::Problem;
use crate::utc;

/// How long the making of a store may take, in an engine that has answered: given up earlier, it may
/// be there, and whoever made it would be told that it is not.
const MAKING: Duration = Duration::from_secs(10);
/// How many entries of a folder are read at once.
const PAGE: u32 = 500;

impl<E: Engine> Keyed<E> {
    /// Opens the store, or makes it where the terms say so.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` where it is not reached or not there, `STORE_REFUSED` where a setting or a
    /// clock cannot keep a promise, `SCHEMA_MISMATCH` for what another program or version wrote,
    /// `STORE_CHANGED` for another store than was expected.
    pub fn open(
        address: &E::Address,
        place: &str,
        ticks: Arc<dyn Clock>,
        terms: &Terms,
    ) -> Result<Keyed<E>, Unopened> {
        apart(|| open(address, place, ticks, terms))?
    }

    /// Makes a store where none is.
    ///
    /// # Errors
    /// `STORE_REFUSED` if one is there, with what is in it; else as [`Keyed::open`].
    pub fn create(
        address: &E::Address,
        place: &str,
        ticks: Arc<dyn Clock>,
        terms: &Terms,
    ) -> Result<Keyed<E>, Unopened> {
        let mut terms = terms.clone();
        terms.options.create = true;
        let opened = Keyed::open(address, place, ticks, &terms)?;
        if opened.found.created {
            return Ok(opened);
        }
        Err(words::exists(place, opened.meta.store, &opened.found, "path").into())
    }
}

async fn open<E: Engine>(
    address: &E::Address,
    place: &str,
    ticks: Arc<dyn Clock>,
    terms: &Terms,
) -> Result<Keyed<E>, Unopened> {
    let cannot = |broken: Broken| unreached(place, &broken);
    let late = |_| Broken::lost(format!("no answer within {CONNECTING:?}"));
    let connecting = timeout(CONNECTING, E::connect(address)).await;
    let mut engine = connecting.map_err(late).and_then(|connected| connected).map_err(cannot)?;
    let there = timeout(CONNECTING, look_first(&mut engine, place, &terms.options)).await;
    there.map_err(late).map_err(cannot)??;
    let examined = timeout(CONNECTING, engine.examine(terms.allow_unsafe)).await;
    examined.map_err(late).and_then(|examined| examined).map_err(cannot)??;
    let clock = DatabaseClock::new(terms.source.clone(), ticks);
    if let Some(told) = engine.told() {
        clock.learn(told);
    }
    let settled = timeout(MAKING, settled(&mut engine, place, &clock, &terms.options)).await;
    let slow = |_| Broken::lost(format!("no answer within {MAKING:?}"));
    let (meta, revision, created) = settled.map_err(slow).map_err(cannot)??;
    let mut link = Link::new(
        address.clone(),
        place.to_owned(),
        Identity { store: meta.store, meta: revision },
        terms.allow_unsafe,
    );
    link.hold(Some(engine));
    let now = clock.wall();
    let time = RegistryTime::start(now, &clock);
    let found = Found {
        created,
        tags: 0,
        namespaces: 0,
        last_grant: None,
        last_used: None,
        floor: some(meta.floor),
        position: 0,
    };
    let (spaces, guards) = (BTreeMap::new(), BTreeMap::new());
    let (turn, beaten, connected) = (1, None, 0);
    let mut keyed =
        Keyed { link, meta, found, now, clock, time, spaces, guards, turn, beaten, connected };
    let filled = keyed.fill(terms.options.believe_clock).await;
    let lost = keyed.link.engine().is_none();
    filled.map_err(|problem| match keyed.link.denied() {
        Some(broken) => unreached(place, broken),
        None => Unopened { problem, may_pass: lost },
    })?;
    // Another thread makes a connection of its own.
    keyed.link.hold(None);
    Ok(keyed)
}

/// It may be there later, if it was not there.
fn unreached(place: &str, broken: &Broken) -> Unopened {
    let detail = match broken.is_denied() {
        true => format!("{place} does not let this server in: {}", said(broken)),
        false => format!("{place} cannot be reached: {}", said(broken)),
    };
    let problem = Problem::new(unopened_code(broken), detail);
    Unopened { problem, may_pass: broken.is_lost() }
}

fn some(at: StoreTime) -> Option<StoreTime> {
    (at.get() > 0).then_some(at)
}

impl<E: Engine> Keyed<E> {
    /// Reads what there is, and looks whether the clock fits it.
    async fn fill(&mut self, believe: bool) -> Result<(), Problem> {
        let told = |fault: Fault| Problem::from(&fault);
        let mut after = None;
        loop {
            let list = self.link.exchange(async |e| e.list(Folder::Tags, after, 500).await);
            let list = list.await.map_err(told)?;
            for (tag, stored) in &list {
                let row = text::read_tag(&stored.text);
                let row = row.map_err(|nonsense| self.nonsense(&Key::Tag(*tag), &nonsense))?;
                self.found.tags += u32::from(!row.deleted);
            }
            after = list.last().map(|(tag, _)| *tag);
            if after.is_none() {
                break;
            }
        }
        loop {
            let page = PAGE as usize;
            let list = self.link.exchange(async |e| e.list(Folder::Spaces, after, page).await);
            let list = list.await.map_err(told)?;
            for (name, stored) in &list {
                self.settle(*name, Some(stored))?;
                self.found.namespaces += 1;
                let any = Want::Unused { namespace: *name, from: 0, end: 0, count: 1 };
                self.look(&[any]).await.map_err(told)?;
            }
            after = list.last().map(|(name, _)| *name);
            if after.is_none() {
                break;
            }
        }
        let survey = self.link.exchange(async |engine| engine.survey(&[Key::Beat], &[]).await);
        let (found, _) = survey.await.map_err(told)?;
        let beat = match found.into_iter().flatten().next() {
            Some(Stored { text, .. }) => {
                text::read_beat(&text).map_err(|nonsense| self.nonsense(&Key::Beat, &nonsense))?
            }
            None => StoreTime::new(0),
        };
        let latest = self.spaces.values().map(|known| known.latest()).max();
        let mut granted = latest.unwrap_or(StoreTime::new(0));
        let source = self.clock.wall();
        if let Some(known) = clock::strays(source, granted, beat) {
            if !believe {
                return Err(words::strays(
                    &format!("the clock that counts for {}", E::NAME),
                    source,
                    known,
                ));
            }
            let lowered = self.lower(source).await?;
            let (source, known) = (utc::text(source), utc::text(known));
            tracing::warn!(source, known, lowered, "the clock is believed; numbers stay reserved");
            granted = granted.min(self.clock.wall());
        }
        self.found.last_grant = some(granted);
        self.found.last_used = some(granted.max(beat));
        self.found.position = self.link.engine().map_or(0, |engine| engine.position());
        self.time = RegistryTime::start(granted, &self.clock);
        self.now = self.clock.wall().max(granted);
        Ok(())
    }

    /// Lowers every later time of a grant to `now`; how many there were.
    async fn lower(&mut self, now: StoreTime) -> Result<usize, Problem> {
        let mut commits = Vec::new();
        for (name, known) in &self.spaces {
            for (worker, mut held, revision) in known.later(now) {
                held.row.granted = now;
                let (key, before) = (Key::Worker(*name, worker), Before::At(revision));
                let set = Set { key, before, text: text::worker(&held) };
                let touch = Touch { namespace: *name, bucket: bucket(worker), first: false };
                let (sets, touches) = (vec![set], vec![touch]);
                commits.push(Commit { sets, touches, ..Commit::default() });
            }
        }
        let (store, beat) = (self.link.identity, text::beat(now));
        for some in commits.chunks(64) {
            let ended = self
                .link
                .exchange(async |engine| Ok(engine.commit(store, some, Some(&beat)).await));
            let ended = ended.await.map_err(|fault| Problem::from(&fault))?;
            if !ended.iter().all(|ended| matches!(ended, Ended::Done { .. })) {
                let detail = "another server uses this store: stop all, then believe the clock";
                return Err(Problem::unavailable(detail));
            }
        }
        // They are read again when they are wanted.
        self.spaces.clear();
        Ok(commits.len())
    }
}

/// Refuses a place where no store is and none is to be made, before anything is written there.
async fn look_first<E: Engine>(
    engine: &mut E,
    place: &str,
    options: &Options,
) -> Result<(), Unopened> {
    let told = |broken: Broken| unreached(place, &broken);
    if meta(engine).await.map_err(told)?.is_some() {
        return Ok(());
    }
    if engine.occupied().await.map_err(told)? {
        let detail = format!(
            "{place} is not a leafid store: another program has written there; give leafid a path \
             of its own"
        );
        return Err(Problem::new(Code::SchemaMismatch, detail).into());
    }
    // A new store would be another than the one that is expected.
    if options.create && options.expect.is_none() {
        Ok(())
    } else {
        Err(words::not_there(place, "has no store").into())
    }
}

/// The store, which is made if it is not there.
async fn settled<E: Engine>(
    engine: &mut E,
    place: &str,
    clock: &DatabaseClock,
    options: &Options,
) -> Result<(Meta, u64, bool), Unopened> {
    let told = |broken: Broken| unreached(place, &broken);
    let mut created = false;
    let mut stored = meta(engine).await.map_err(told)?;
    if stored.is_none() {
        created = make(engine, clock, options).await?.map_err(told)?;
        stored = meta(engine).await.map_err(told)?;
    }
    let stored = stored.ok_or_else(|| words::not_there(place, "has no store"))?;
    let meta = text::read_meta(&stored.text).map_err(|nonsense| {
        let key = engine.place(&Key::Meta);
        let detail = format!("`{key}` at {place} was not written by leafid: {nonsense}");
        Problem::new(Code::SchemaMismatch, detail)
    })?;
    if meta.version != VERSION {
        return Err(words::other_version(place, "keys", meta.version, VERSION).into());
    }
    options.refuse_other(place, meta.store)?;
    Ok((meta, stored.revision, created))
}

async fn meta<E: Engine>(engine: &mut E) -> Result<Option<Stored>, Broken> {
    Ok(engine.survey(&[Key::Meta], &[]).await?.0.into_iter().flatten().next())
}

/// Makes the store's id and the namespace `default`.
async fn make<E: Engine>(
    engine: &mut E,
    clock: &DatabaseClock,
    options: &Options,
) -> Result<Result<bool, Broken>, Problem> {
    let new = options.new_store(clock.wall())?;
    let meta = Meta { version: VERSION, store: new.id, created: new.now, floor: new.floor };
    let (name, namespace) = new.namespace;
    let space = text::space(&Space { namespace, moves: Moves::default() });
    Ok(engine.make(meta.store, &text::meta(&meta), (name, &space)).await)
}
