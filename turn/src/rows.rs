//! The rows that requests of a turn are decided on, as they were read or as earlier requests left them. A row
//! that is not at hand is noted as wanted, and the request decided again once it is read.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use leafid_core::registry::{TagRow, Worker, WorkerRow};
use leafid_core::{Name, StoreTime, Token};

use crate::cache::Cache;
use crate::groups::{Groups, Scope};
use crate::namespace_rows::{Entry, NamespaceRows};
use crate::problem::Problem;
use crate::row::NamespaceRow;
use crate::stop::Stop;
use crate::want::{Answer, Want};
use crate::write::Write;

mod in_hand;
mod lines;

pub use in_hand::InHand;

/// The rows of a turn. Looking at a row that is not at hand is an error, and notes it as wanted.
#[derive(Debug)]
pub struct TurnRows {
    /// The store's id.
    pub store: Token,
    /// No window begins before; 0 unless the store replaces a lost one.
    pub floor: StoreTime,
    /// Whether tags and namespaces are created on first use.
    pub first_use: bool,
    /// The store's time.
    pub now: StoreTime,
    tags: BTreeMap<Name, Entry<TagRow>>,
    /// How many numbers to reserve beyond the granted ones.
    ahead: BTreeMap<Name, u64>,
    /// Tags that an operator changes.
    changed: BTreeSet<Name>,
    /// Tags whose rows are gone, at an unknown position.
    removed: BTreeSet<Name>,
    spaces: BTreeMap<Name, NamespaceRows>,
    cache: Cache,
    lists: Vec<(Want, Answer)>,
    wants: Vec<Want>,
    unreadable: Vec<(Want, Problem)>,
    /// Worker numbers that are granted in this turn.
    granted: BTreeSet<(Name, u32)>,
    beats: bool,
    /// The end that a holder has shown, now or before, to a store which knows less.
    claimed: Option<u64>,
}

impl TurnRows {
    /// Begins a turn with the rows that earlier turns wrote.
    pub fn new(
        store: Token,
        floor: StoreTime,
        first_use: bool,
        now: StoreTime,
        cache: Cache,
    ) -> TurnRows {
        TurnRows {
            store,
            floor,
            first_use,
            now,
            tags: BTreeMap::new(),
            ahead: BTreeMap::new(),
            changed: BTreeSet::new(),
            removed: BTreeSet::new(),
            spaces: BTreeMap::new(),
            cache,
            lists: Vec::new(),
            wants: Vec::new(),
            unreadable: Vec::new(),
            granted: BTreeSet::new(),
            beats: false,
            claimed: None,
        }
    }

    /// The cache for the next turn.
    pub fn into_cache(self) -> Cache {
        self.cache
    }

    /// Takes the wants noted since the last call.
    pub fn take_wants(&mut self) -> Vec<Want> {
        core::mem::take(&mut self.wants)
    }

    /// Takes in the answers to wants.
    pub fn learn(&mut self, wants: Vec<Want>, answers: Vec<Answer>) {
        for (want, answer) in wants.into_iter().zip(answers) {
            match (want, answer) {
                (want, Answer::Unreadable(problem)) => self.unreadable.push((want, problem)),
                (Want::Tag(tag), Answer::Tag(read)) => {
                    self.tags.entry(tag).or_insert(Entry::read(read));
                    self.removed.remove(&tag);
                }
                (Want::Tag(tag), Answer::Removed(seen)) => {
                    self.tags.entry(tag).or_insert(Entry::read(Some(seen)));
                    self.removed.insert(tag);
                }
                (Want::Namespace(name), Answer::Namespace(read)) => {
                    self.space(&name).row.get_or_insert(Entry::read(read));
                }
                (
                    Want::Worker(name, _)
                    | Want::Mine(name, _)
                    | Want::Own(name, _)
                    | Want::Rested(name, _)
                    | Want::Kept(name, _),
                    Answer::Workers(read),
                ) => self.space(&name).learn(&want, &read),
                (Want::Unused { namespace, end, count: 2.., .. }, Answer::Unused(read)) => {
                    self.space(&namespace).learn_unused(read, end);
                }
                (want, answer) => self.lists.push((want, answer)),
            }
        }
    }

    /// Rows that are only listed, never changed here.
    pub fn list(&mut self, want: Want) -> Result<Answer, Stop> {
        let found = self.lists.iter().find(|(read, _)| *read == want);
        let found = found.map(|(_, answer)| answer.clone());
        found.ok_or_else(|| self.want(want))
    }

    /// The floor for new rows: no window begins before; 0 if nothing was ever lost.
    pub fn lost_before(&mut self) -> Result<StoreTime, Stop> {
        match self.list(Want::Fenced)? {
            Answer::Fenced(fenced) => Ok(self.floor.max(fenced.row.floor)),
            _ => Ok(self.floor),
        }
    }

    /// A tag as it was written last, tombstones included.
    pub fn known_tag(&mut self, tag: &Name) -> Result<Option<TagRow>, Stop> {
        if let Some(&seen) = self.cache.tags.get(tag) {
            return Ok(self.tags.entry(*tag).or_insert(Entry::known(seen)).row);
        }
        self.tag(tag)
    }

    /// A tag as it was read, tombstones included.
    pub fn tag(&mut self, tag: &Name) -> Result<Option<TagRow>, Stop> {
        if self.tags.get(tag).is_some_and(Entry::is_doubtful) {
            self.tags.remove(tag);
        }
        let found = self.tags.get(tag).map(|entry| entry.row);
        found.ok_or_else(|| self.want(Want::Tag(*tag)))
    }

    /// Whether a tag is gone that may have been beyond its row's position.
    pub fn is_removed(&self, tag: &Name) -> bool {
        self.removed.contains(tag)
    }

    /// Changes a tag.
    pub fn put_tag(&mut self, tag: &Name, row: TagRow) {
        self.tags.entry(*tag).or_insert(Entry::read(None)).put(row);
    }

    /// A namespace as it was written last.
    pub fn known_namespace(&mut self, name: &Name) -> Result<Option<NamespaceRow>, Stop> {
        if let Some(&seen) = self.cache.namespaces.get(name) {
            return Ok(self.space(name).row.get_or_insert(Entry::known(seen)).row);
        }
        self.namespace(name)
    }

    /// A namespace as it was read.
    pub fn namespace(&mut self, name: &Name) -> Result<Option<NamespaceRow>, Stop> {
        if self.space(name).doubts() {
            self.cache.doubt(Scope::Namespace(*name));
            self.space(name).reread()?;
        }
        let found = self.space(name).row.map(|entry| entry.row);
        found.ok_or_else(|| self.want(Want::Namespace(*name)))
    }

    /// Changes a namespace.
    pub fn put_namespace(&mut self, name: &Name, row: NamespaceRow) {
        self.space(name).row.get_or_insert(Entry::read(None)).put(row);
    }

    /// A namespace whose range and layout are unchanged in this turn, so that the store can look for its
    /// numbers.
    pub fn settled(&mut self, name: &Name) -> Result<Option<NamespaceRow>, Stop> {
        let row = self.known_namespace(name)?;
        if self.space(name).is_settled() { Ok(row) } else { Err(Stop::Later) }
    }

    /// A namespace that is unchanged in this turn.
    pub fn untouched(&mut self, name: &Name) -> Result<Option<NamespaceRow>, Stop> {
        let row = self.namespace(name)?;
        if self.space(name).is_untouched() { Ok(row) } else { Err(Stop::Later) }
    }

    /// The row of a number as it was written last, if it was ever granted.
    pub fn known_worker(&mut self, name: &Name, worker: u32) -> Result<Option<WorkerRow>, Stop> {
        match self.cache.workers.get(&(*name, worker)).copied() {
            Some(seen) => Ok(self.space(name).know(worker, seen)),
            None => self.worker(name, worker),
        }
    }

    /// The row of a number as it was read, if it was ever granted.
    pub fn worker(&mut self, name: &Name, worker: u32) -> Result<Option<WorkerRow>, Stop> {
        let space = self.space(name);
        space.forget(worker);
        let found = space.worker(worker);
        found.ok_or_else(|| self.want(Want::Worker(*name, worker)))
    }

    /// Changes the row of a number, on which no other row of its namespace depends.
    pub fn put_worker(&mut self, name: &Name, worker: u32, row: WorkerRow) {
        self.space(name).put(worker, row, false);
    }

    /// Changes the row of a number, together with others of its namespace.
    pub fn join_worker(&mut self, name: &Name, (worker, row): Worker) {
        self.space(name).put(worker, row, true);
    }

    /// The number that was granted to this very request.
    ///
    /// # Errors
    /// As [`tag`](TurnRows::tag).
    pub fn mine(&mut self, name: &Name, request: Token) -> Result<Option<Worker>, Stop> {
        let found = self.space(name).mine(request);
        found.ok_or_else(|| self.want(Want::Mine(*name, request)))
    }

    /// The numbers that an owner keeps, at most two.
    ///
    /// # Errors
    /// As [`tag`](TurnRows::tag).
    pub fn own(&mut self, name: &Name, owner: &Name) -> Result<[Option<Worker>; 2], Stop> {
        let found = self.space(name).own(owner);
        found.ok_or_else(|| self.want(Want::Own(*name, *owner)))
    }

    /// The lowest number from `from` on that was never granted, whatever other requests take.
    pub fn first_unused(&mut self, name: &Name, from: u64, end: u64) -> Result<u64, Stop> {
        let want = Want::Unused { namespace: *name, from, end, count: 1 };
        match self.list(want)? {
            Answer::Unused(found) => Ok(found.first().copied().unwrap_or(end)),
            _ => Ok(from),
        }
    }

    /// The lowest number from `from` on that was never granted, possibly beyond `end`. Each request takes the next
    /// one.
    pub fn unused(&mut self, name: &Name, from: u64, end: u64) -> Result<u64, Stop> {
        let space = self.space(name);
        let (found, count) = (space.unused(), 2 + space.changes());
        found.ok_or_else(|| self.want(Want::Unused { namespace: *name, from, end, count }))
    }

    /// The longest rested of the numbers that are not kept, the kept number of the owner longest unseen, and every
    /// number changed in this turn.
    pub fn resting(&mut self, name: &Name) -> Result<Vec<Worker>, Stop> {
        let space = self.space(name);
        let count = 1 + 2 * space.changes();
        let (rested, kept) = space.resting();
        if let (Some(rested), Some(kept)) = (rested, kept) {
            return Ok([rested, kept].into_iter().flatten().chain(space.changed()).collect());
        }
        if rested.is_none() {
            self.want(Want::Rested(*name, count));
        }
        if kept.is_none() {
            self.want(Want::Kept(*name, count));
        }
        Err(Stop::Wanting)
    }

    /// Requests a fresh read of the rows that a request was decided on, if no write checks them.
    pub fn verify(&mut self, scope: Scope) -> Result<(), Stop> {
        match scope {
            Scope::Nothing | Scope::Beat | Scope::Server => return Ok(()),
            Scope::Tag(tag) => {
                if !self.tags.get(&tag).is_some_and(Entry::is_doubtful) {
                    return Ok(());
                }
                self.tags.remove(&tag);
            }
            Scope::Namespace(name) => {
                if !self.space(&name).doubts() {
                    return Ok(());
                }
                self.space(&name).reread().inspect_err(|_| self.cache.doubt(scope))?;
            }
            Scope::Worker(name, worker) => {
                let space = self.space(&name);
                if space.is_written(worker) {
                    return Ok(());
                }
                let doubts = space.doubts();
                if !space.forget(worker) && !doubts {
                    return Ok(());
                }
                if doubts {
                    self.space(&name).reread().inspect_err(|_| self.cache.doubt(scope))?;
                }
            }
        }
        self.cache.doubt(scope);
        Err(Stop::Wanting)
    }

    /// Notes the time as one at which the store was in use.
    pub fn beat(&mut self) {
        self.beats = true;
    }

    /// The writes.
    pub fn groups(&self) -> Groups {
        let mut groups = Groups::default();
        if self.beats {
            groups.push(Scope::Beat, vec![Write::Beat(self.now)]);
        }
        for (tag, entry) in &self.tags {
            if let Some(after) = self.written(tag, entry) {
                let write = Write::Tag { tag: *tag, before: entry.before, after };
                groups.push(Scope::Tag(*tag), vec![write]);
            }
        }
        for (name, space) in &self.spaces {
            space.gather(name, &mut groups);
        }
        groups
    }

    /// The largest number of changed rows in one namespace.
    pub fn widest(&self) -> usize {
        self.spaces.values().map(NamespaceRows::changes).max().unwrap_or(0)
    }

    fn space(&mut self, name: &Name) -> &mut NamespaceRows {
        self.spaces.entry(*name).or_default()
    }

    /// Notes a want, once for all requests; if each request takes a number of its own, one more number.
    fn want(&mut self, want: Want) -> Stop {
        if let Some((_, problem)) = self.unreadable.iter().find(|(read, _)| *read == want) {
            return Stop::Refused(problem.clone());
        }
        for noted in &mut self.wants {
            match (&mut *noted, &want) {
                (Want::Rested(name, count), Want::Rested(other, _))
                | (Want::Kept(name, count), Want::Kept(other, _))
                | (
                    Want::Unused { namespace: name, count: count @ 2.., .. },
                    Want::Unused { namespace: other, count: 2.., .. },
                ) if name == other => {
                    *count += 1;
                    return Stop::Wanting;
                }
                (noted, want) if noted == want => return Stop::Wanting,
                _ => {}
            }
        }
        self.wants.push(want);
        Stop::Wanting
    }
}
