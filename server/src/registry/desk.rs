//! What requests are decided on in a turn: rows as they were read, and as the requests before have
//! left them. A row that is not at hand is noted as wanted, and the request is decided again when
//! it was read.

use std::collections::BTreeMap;

use leafid_core::registry::{TagRow, Worker, WorkerRow};
use leafid_core::{Name, StoreTime, Token};

use super::entry::Entry;
use super::groups::Groups;
use super::space::Space;
use crate::backends::{Answer, NamespaceRow, Want};
use crate::problem::Problem;

/// Why a request is not decided.
#[derive(Debug)]
pub enum Stop {
    /// The decision was no. Nothing was changed.
    Refused(Problem),
    /// Rows are wanted that are not at hand.
    Wanting,
    /// It has to see what others changed in this turn: its turn is the next.
    Later,
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Stop {
        Stop::Refused(problem)
    }
}

/// The rows of a turn.
#[derive(Debug)]
pub struct Desk {
    /// The store's id.
    pub store: Token,
    /// Before when no window begins; 0 unless the store replaces a lost one.
    pub floor: StoreTime,
    /// Whether tags and namespaces are created on first use.
    pub first_use: bool,
    /// The store's time.
    pub now: StoreTime,
    tags: BTreeMap<Name, Entry<TagRow>>,
    spaces: BTreeMap<Name, Space>,
    lists: Vec<(Want, Answer)>,
    wants: Vec<Want>,
    beats: bool,
}

impl Desk {
    /// No rows yet.
    pub fn new(store: Token, floor: StoreTime, first_use: bool, now: StoreTime) -> Desk {
        let (tags, spaces, lists, wants) = Default::default();
        Desk { store, floor, first_use, now, tags, spaces, lists, wants, beats: false }
    }

    /// What requests wanted since this was asked last.
    pub fn take_wants(&mut self) -> Vec<Want> {
        std::mem::take(&mut self.wants)
    }

    /// Lays out what was read.
    pub fn learn(&mut self, wants: Vec<Want>, answers: Vec<Answer>) {
        for (want, answer) in wants.into_iter().zip(answers) {
            match (want, answer) {
                (Want::Tag(tag), Answer::Tag(read)) => {
                    self.tags.entry(tag).or_insert(Entry::read(read));
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

    /// Rows that are read once and changed by nobody here.
    ///
    /// # Errors
    /// They are wanted.
    pub fn list(&mut self, want: Want) -> Result<Answer, Stop> {
        match self.lists.iter().find(|(read, _)| *read == want) {
            Some((_, answer)) => Ok(answer.clone()),
            None => Err(self.want(want)),
        }
    }

    /// A tag, tombstones included.
    ///
    /// # Errors
    /// It is wanted.
    pub fn tag(&mut self, tag: &Name) -> Result<Option<TagRow>, Stop> {
        match self.tags.get(tag) {
            Some(entry) => Ok(entry.row),
            None => Err(self.want(Want::Tag(*tag))),
        }
    }

    /// Changes a tag, which was looked at before.
    pub fn put_tag(&mut self, tag: &Name, row: TagRow) {
        self.tags.entry(*tag).or_insert(Entry::read(None)).row = Some(row);
    }

    /// A namespace.
    ///
    /// # Errors
    /// It is wanted.
    pub fn namespace(&mut self, name: &Name) -> Result<Option<NamespaceRow>, Stop> {
        match &self.space(name).row {
            Some(entry) => Ok(entry.row),
            None => Err(self.want(Want::Namespace(*name))),
        }
    }

    /// Changes a namespace, which was looked at before.
    pub fn put_namespace(&mut self, name: &Name, row: NamespaceRow) {
        self.space(name).row.get_or_insert(Entry::read(None)).row = Some(row);
    }

    /// A namespace whose range and layout nobody has changed in this turn: how its numbers are
    /// found is what the store has of it.
    ///
    /// # Errors
    /// It is wanted, or somebody has.
    pub fn settled(&mut self, name: &Name) -> Result<Option<NamespaceRow>, Stop> {
        let row = self.namespace(name)?;
        if self.space(name).is_settled() { Ok(row) } else { Err(Stop::Later) }
    }

    /// A namespace of which nobody has changed anything in this turn.
    ///
    /// # Errors
    /// It is wanted, or somebody has.
    pub fn untouched(&mut self, name: &Name) -> Result<Option<NamespaceRow>, Stop> {
        let row = self.settled(name)?;
        if self.space(name).is_untouched() { Ok(row) } else { Err(Stop::Later) }
    }

    /// The row of a number, if it was ever handed out.
    ///
    /// # Errors
    /// It is wanted.
    pub fn worker(&mut self, name: &Name, worker: u32) -> Result<Option<WorkerRow>, Stop> {
        match self.space(name).worker(worker) {
            Some(row) => Ok(row),
            None => Err(self.want(Want::Worker(*name, worker))),
        }
    }

    /// Changes the row of a number, and nothing else of its namespace depends on that.
    pub fn put_worker(&mut self, name: &Name, worker: u32, row: WorkerRow) {
        self.space(name).put(worker, row, false);
    }

    /// Changes the row of a number together with others of its namespace.
    pub fn join_worker(&mut self, name: &Name, (worker, row): Worker) {
        self.space(name).put(worker, row, true);
    }

    /// The row of this very request, if it was granted before.
    ///
    /// # Errors
    /// It is wanted.
    pub fn mine(&mut self, name: &Name, request: Token) -> Result<Option<Worker>, Stop> {
        match self.space(name).mine(request) {
            Some(mine) => Ok(mine),
            None => Err(self.want(Want::Mine(*name, request))),
        }
    }

    /// The numbers that an owner keeps, two at most.
    ///
    /// # Errors
    /// They are wanted.
    pub fn own(&mut self, name: &Name, owner: &Name) -> Result<[Option<Worker>; 2], Stop> {
        match self.space(name).own(owner) {
            Some(own) => Ok(own),
            None => Err(self.want(Want::Own(*name, *owner))),
        }
    }

    /// The lowest number from `from` on that was never handed out, looked up for itself.
    ///
    /// # Errors
    /// It is wanted.
    pub fn first_unused(&mut self, name: &Name, from: u64, end: u64) -> Result<u64, Stop> {
        let want = Want::Unused { namespace: *name, from, end, count: 1 };
        match self.list(want)? {
            Answer::Unused(found) => Ok(found.first().copied().unwrap_or(end)),
            _ => Ok(from),
        }
    }

    /// The lowest number that was never handed out, and the next one; from `from` on, and beyond
    /// `end` if all below it were. Requests take them one after another.
    ///
    /// # Errors
    /// It is wanted.
    pub fn unused(&mut self, name: &Name, from: u64, end: u64) -> Result<(u64, u64), Stop> {
        let space = self.space(name);
        match space.unused() {
            Some(found) => Ok(found),
            None => {
                let count = 2 + space.changes();
                Err(self.want(Want::Unused { namespace: *name, from, end, count }))
            }
        }
    }

    /// Of the numbers that nobody keeps, the one that rested longest, of the kept ones the one whose
    /// owner was not seen for longest, and every one that was changed in this turn.
    ///
    /// # Errors
    /// They are wanted.
    pub fn resting(&mut self, name: &Name) -> Result<Vec<Worker>, Stop> {
        let space = self.space(name);
        let count = 1 + 2 * space.changes();
        let (rested, kept) = (space.rested(), space.kept());
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

    /// The time is written for its own sake.
    pub fn beat(&mut self) {
        self.beats = true;
    }

    /// What is to be written.
    pub fn groups(&self) -> Groups {
        let mut groups = Groups::default();
        if self.beats {
            groups.beat(self.now);
        }
        for (tag, entry) in &self.tags {
            groups.tag(tag, entry);
        }
        for (name, space) in &self.spaces {
            space.gather(name, &mut groups);
        }
        groups
    }

    fn space(&mut self, name: &Name) -> &mut Space {
        self.spaces.entry(*name).or_default()
    }

    /// Notes what is wanted: once, however many want it, and of what each takes one for itself, one
    /// more.
    fn want(&mut self, want: Want) -> Stop {
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
