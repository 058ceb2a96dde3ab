//! A back end that keeps its rows in memory and counts their writings, as etcd and ZooKeeper do:
//! for tests. Several registries may share one, as servers share a database; and it can lose races,
//! keep what it did to itself, or forget its conditions.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use leafid_core::registry::{Namespace, TagRow, WorkerRow};
use leafid_core::{Layout, Name, Range, StoreTime, Token};
use leafid_store::backends::opening::Found;
use leafid_store::backends::{
    Abilities, Answer, BackEnd, Facts, Fault, Fenced, Group, NamespaceRow, Outcome, Read, Seen,
    Want, Watch, Write, Written,
};
use leafid_store::clock::{Clock, RegistryTime};
use leafid_store::problem::Problem;

/// What goes wrong with a writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing.
    Never,
    /// Somebody else was faster with every third group: its rows have other revisions now.
    EveryThirdRace,
    /// Somebody else is always faster.
    EveryRace,
    /// Every third group is written, and nobody hears of it.
    EveryThirdAnswer,
    /// The control: conditions are not looked at.
    Blind,
}

/// A database: what its servers share.
pub struct Database {
    id: Token,
    clock: Arc<dyn Clock>,
    tables: Mutex<Tables>,
    open: Mutex<bool>,
    opened: Condvar,
    /// How many groups were to be written.
    pub groups: AtomicUsize,
    /// How many of them were not as they had been read.
    pub conflicts: AtomicUsize,
    /// How many readings there were.
    pub readings: AtomicUsize,
}

struct Tables {
    time: RegistryTime,
    revision: u64,
    tags: BTreeMap<Name, Seen<TagRow>>,
    namespaces: BTreeMap<Name, Seen<NamespaceRow>>,
    workers: BTreeMap<(Name, u32), Seen<WorkerRow>>,
    fenced: Seen<Fenced>,
}

impl Database {
    /// An empty one, with the namespace `default`.
    pub fn new(id: Token, clock: Arc<dyn Clock>) -> Arc<Database> {
        let time = RegistryTime::start(StoreTime::new(0), clock.as_ref());
        let (tags, workers, fenced) = Default::default();
        let namespaces = BTreeMap::new();
        let mut tables = Tables { time, revision: 1, tags, namespaces, workers, fenced };
        let namespace = Namespace::create(Layout::LEAF, None, None).expect("a namespace");
        let row = NamespaceRow { namespace, used_until: 0 };
        let default = Name::namespace("default").expect("a name");
        tables.namespaces.insert(default, Seen { row, revision: 1 });
        Arc::new(Database {
            id,
            clock,
            tables: Mutex::new(tables),
            open: Mutex::new(true),
            opened: Condvar::new(),
            groups: AtomicUsize::new(0),
            conflicts: AtomicUsize::new(0),
            readings: AtomicUsize::new(0),
        })
    }

    /// A server's connection.
    pub fn connect(self: &Arc<Self>, trouble: Trouble) -> Memory {
        Memory { database: Arc::clone(self), trouble, written: 0 }
    }

    /// From now on a turn that begins waits until this is called with `true`.
    pub fn admit(&self, open: bool) {
        *self.open.lock().expect("nobody panicked") = open;
        self.opened.notify_all();
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().expect("nobody panicked")
    }

    fn now(&self) -> StoreTime {
        self.tables().time.read(self.clock.as_ref(), || 0).0
    }
}

/// A server's connection to a [`Database`].
pub struct Memory {
    database: Arc<Database>,
    trouble: Trouble,
    written: usize,
}

struct Always;

impl Watch for Always {
    fn gone(&self) -> Option<Problem> {
        None
    }
}

impl BackEnd for Memory {
    fn facts(&self) -> Facts {
        Facts {
            store: self.database.id,
            place: "memory:".to_owned(),
            floor: StoreTime::new(0),
            now: self.database.now(),
            found: Found {
                created: true,
                tags: 0,
                namespaces: 1,
                last_grant: None,
                last_used: None,
                floor: None,
                position: 0,
            },
        }
    }

    fn watch(&self) -> Arc<dyn Watch> {
        Arc::new(Always)
    }

    fn abilities(&self) -> Abilities {
        Abilities { at_once: 1_024, ..Abilities::default() }
    }

    async fn begin(&mut self) -> Result<Option<StoreTime>, Fault> {
        let open = self.database.open.lock().expect("nobody panicked");
        drop(self.database.opened.wait_while(open, |open| !*open).expect("nobody panicked"));
        // Asked by a trip over the network, it says so with its answers alone.
        Ok(None)
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Read, Fault> {
        self.database.readings.fetch_add(1, Ordering::SeqCst);
        let now = self.database.now();
        let tables = self.database.tables();
        Ok(Read { now, answers: wants.iter().map(|want| tables.look(want)).collect() })
    }

    async fn write(&mut self, groups: &[Group]) -> Result<Written, Fault> {
        let now = self.database.now();
        let database = Arc::clone(&self.database);
        let mut tables = database.tables();
        let outcomes = groups.iter().map(|group| self.put(&mut tables, group)).collect();
        Ok(Written { now, outcomes })
    }
}

impl Memory {
    fn put(&mut self, tables: &mut Tables, group: &Group) -> Outcome {
        self.database.groups.fetch_add(1, Ordering::SeqCst);
        self.written += 1;
        let third = self.written.is_multiple_of(3);
        let beaten = match self.trouble {
            Trouble::EveryThirdRace => third,
            Trouble::EveryRace => true,
            _ => false,
        };
        if beaten {
            // Whoever was faster wrote the same again: the rows have another revision.
            group.iter().for_each(|write| tables.rewrite(write));
        }
        let holds = group.iter().all(|write| tables.holds(write));
        if !holds && self.trouble != Trouble::Blind {
            self.database.conflicts.fetch_add(1, Ordering::SeqCst);
            return Outcome::Conflict;
        }
        let revisions = group.iter().map(|write| tables.put(write)).collect();
        if third && self.trouble == Trouble::EveryThirdAnswer {
            return Outcome::Failed(Fault { detail: "the connection broke".to_owned() });
        }
        Outcome::Done(revisions)
    }
}

impl Tables {
    fn look(&self, want: &Want) -> Answer {
        match *want {
            Want::Tag(tag) => Answer::Tag(self.tags.get(&tag).copied()),
            Want::Namespace(name) => Answer::Namespace(self.namespaces.get(&name).copied()),
            Want::Worker(name, worker) => self.workers(name, 1, |n, _| n == worker),
            Want::Mine(name, request) => self.workers(name, 1, |_, row| row.key == Some(request)),
            Want::Own(name, owner) => {
                let own = |inside| {
                    move |n: u32, row: &WorkerRow| {
                        row.sticky && row.owner == owner && self.inside(name, n) == inside
                    }
                };
                let (first, then) = (self.all(name, own(true)), self.all(name, own(false)));
                Answer::Workers(first.into_iter().chain(then).take(2).collect())
            }
            Want::Unused { namespace, from, end, count } => {
                let has_row = |number: u64| match u32::try_from(number) {
                    Ok(number) => self.workers.contains_key(&(namespace, number)),
                    Err(_) => false,
                };
                let mut found = Vec::new();
                for number in from.. {
                    if !has_row(number) {
                        found.push(number);
                    }
                    if found.len() == count || found.last().is_some_and(|last| *last >= end) {
                        break;
                    }
                }
                Answer::Unused(found)
            }
            Want::Rested(name, count) => {
                let mut found = self.all(name, |n, row| !row.sticky && self.inside(name, n));
                found.sort_by_key(|(_, seen)| seen.row.reserved_until);
                found.truncate(count);
                Answer::Workers(found)
            }
            Want::Kept(name, count) => {
                let mut found = self.all(name, |n, row| row.sticky && self.inside(name, n));
                found.sort_by_key(|(_, seen)| seen.row.granted);
                found.truncate(count);
                Answer::Workers(found)
            }
            Want::Leaving { namespace, before, after } => {
                let leaves = |range: Range, n: u32| range.contains(n.into());
                let found = self.all(namespace, |n, _| leaves(before, n) && !leaves(after, n));
                let longest = found.into_iter().max_by_key(|(_, seen)| seen.row.reserved_until);
                Answer::Workers(longest.into_iter().collect())
            }
            Want::Workers(name, page) => {
                let limit = page.limit as usize;
                self.workers(name, limit, |n, _| page.after.is_none_or(|after| n > after))
            }
            Want::Fenced => Answer::Fenced(self.fenced.clone()),
            Want::TagNames(_) | Want::NamespaceNames(_) => Answer::Names(Vec::new()),
            Want::Tags(page) => {
                let after = |name: &Name| page.after.is_none_or(|after| *name > after);
                let found =
                    self.tags.iter().filter(|(name, seen)| after(name) && !seen.row.deleted);
                Answer::Tags(found.map(|(n, s)| (*n, s.row)).take(page.limit as usize).collect())
            }
            Want::Namespaces(page) => {
                let after = |name: &Name| page.after.is_none_or(|after| *name > after);
                let found = self.namespaces.iter().filter(|(name, _)| after(name));
                let found = found.map(|(name, seen)| (*name, seen.row.namespace));
                Answer::Namespaces(found.take(page.limit as usize).collect())
            }
        }
    }

    fn inside(&self, name: Name, worker: u32) -> bool {
        self.namespaces.get(&name).is_some_and(|seen| seen.row.namespace.hands_out(worker))
    }

    fn all(
        &self,
        name: Name,
        is_it: impl Fn(u32, &WorkerRow) -> bool,
    ) -> Vec<(u32, Seen<WorkerRow>)> {
        let found = self.workers.range((name, 0)..=(name, u32::MAX));
        let found = found.map(|((_, worker), seen)| (*worker, *seen));
        found.filter(|(worker, seen)| is_it(*worker, &seen.row)).collect()
    }

    fn workers(&self, name: Name, most: usize, is_it: impl Fn(u32, &WorkerRow) -> bool) -> Answer {
        Answer::Workers(self.all(name, is_it).into_iter().take(most).collect())
    }

    /// Whether the row is the very one that was read.
    fn holds(&self, write: &Write) -> bool {
        let same = |now: Option<u64>, before: Option<u64>| now == before;
        match write {
            Write::Same(name, before) => {
                same(self.namespaces.get(name).map(|s| s.revision), Some(before.revision))
            }
            Write::Tag { tag, before, .. } => {
                same(self.tags.get(tag).map(|s| s.revision), before.map(|s| s.revision))
            }
            Write::Namespace { namespace, before, .. } => {
                same(self.namespaces.get(namespace).map(|s| s.revision), before.map(|s| s.revision))
            }
            Write::Worker(write) => {
                let now = self.workers.get(&(write.namespace, write.worker));
                same(now.map(|s| s.revision), write.before.map(|s| s.revision))
            }
            Write::Fence { before, .. } => before.revision == self.fenced.revision,
            Write::Beat(_) => true,
        }
    }

    fn put(&mut self, write: &Write) -> u64 {
        self.revision += 1;
        let revision = self.revision;
        match write {
            Write::Same(..) | Write::Beat(_) => {}
            Write::Fence { after, .. } => {
                self.fenced = Seen { row: after.as_ref().clone(), revision };
            }
            Write::Tag { tag, after, .. } => {
                self.tags.insert(*tag, Seen { row: *after, revision });
            }
            Write::Namespace { namespace, after, .. } => {
                let (workers, name) = (after.namespace.workers, *namespace);
                let before = self.namespaces.get(&name).map(|seen| seen.row.namespace.workers);
                for ((_, n), seen) in self.workers.range_mut((name, 0)..=(name, u32::MAX)) {
                    let n = u64::from(*n);
                    if before.is_some_and(|before| before.contains(n) != workers.contains(n)) {
                        *seen = Seen { row: seen.row.revoked(), revision };
                    }
                }
                self.namespaces.insert(*namespace, Seen { row: *after, revision });
            }
            Write::Worker(write) => {
                let seen = Seen { row: write.after, revision };
                self.workers.insert((write.namespace, write.worker), seen);
            }
        }
        revision
    }

    /// Gives the row that is there another revision.
    fn rewrite(&mut self, write: &Write) {
        self.revision += 1;
        let revision = self.revision;
        match write {
            Write::Same(name, _) | Write::Namespace { namespace: name, .. } => {
                self.namespaces.entry(*name).and_modify(|seen| seen.revision = revision);
            }
            Write::Tag { tag, .. } => {
                self.tags.entry(*tag).and_modify(|seen| seen.revision = revision);
            }
            Write::Worker(write) => {
                let key = (write.namespace, write.worker);
                self.workers.entry(key).and_modify(|seen| seen.revision = revision);
            }
            Write::Fence { .. } => self.fenced.revision = revision,
            Write::Beat(_) => {}
        }
    }
}
