//! What a turn writes: which rows together, and which of it a request waits for.

use std::collections::BTreeMap;

use leafid_core::registry::{TagRow, WorkerRow};
use leafid_core::{Name, StoreTime};

use super::entry::Entry;
use crate::backends::{Group, NamespaceRow, WorkerWrite, Write};

/// What a request reads and changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Nothing that is written.
    Nothing,
    /// The time that is written for its own sake.
    Beat,
    /// A tag.
    Tag(Name),
    /// A namespace and its numbers.
    Namespace(Name),
    /// One number of a namespace.
    Worker(Name, u32),
}

/// What a turn writes.
#[derive(Debug, Default)]
pub struct Groups {
    /// The groups.
    pub groups: Vec<Group>,
    places: BTreeMap<Scope, usize>,
}

/// The number of a worker, its row in the turn, and what is to be written.
type Changed<'e> = (u32, &'e Entry<WorkerRow>, WorkerRow);

impl Groups {
    /// Which group a request of this scope waits for, if one is written.
    pub fn place(&self, scope: Scope) -> Option<usize> {
        match (self.places.get(&scope), scope) {
            (None, Scope::Worker(name, _)) => self.places.get(&Scope::Namespace(name)).copied(),
            (place, _) => place.copied(),
        }
    }

    /// The time.
    pub fn beat(&mut self, now: StoreTime) {
        self.push(Scope::Beat, vec![Write::Beat(now)]);
    }

    /// A tag, if it was changed.
    pub fn tag(&mut self, tag: &Name, entry: &Entry<TagRow>) {
        if let Some(after) = entry.after() {
            let write = Write::Tag { tag: *tag, before: entry.before, after };
            self.push(Scope::Tag(*tag), vec![write]);
        }
    }

    /// A namespace, and numbers that are written with it, if there are any.
    pub fn space<'e>(
        &mut self,
        name: &Name,
        row: &Entry<NamespaceRow>,
        workers: impl Iterator<Item = Changed<'e>>,
    ) {
        let own = row.after().map(|after| Write::Namespace {
            namespace: *name,
            before: row.before,
            after,
        });
        let mut group: Group = workers.map(|changed| worker(name, changed)).collect();
        let condition = row.before.map(|before| Write::Same(*name, before));
        if own.is_some() || !group.is_empty() {
            // What is only looked at comes first.
            let first = own.or(condition);
            group.splice(0..0, first);
            self.push(Scope::Namespace(*name), group);
        }
    }

    /// A number that is written for itself.
    pub fn worker(&mut self, name: &Name, row: &Entry<NamespaceRow>, changed: Changed<'_>) {
        let condition = row.before.map(|before| Write::Same(*name, before));
        let group = condition.into_iter().chain([worker(name, changed)]).collect();
        self.push(Scope::Worker(*name, changed.0), group);
    }

    fn push(&mut self, scope: Scope, group: Group) {
        self.places.insert(scope, self.groups.len());
        self.groups.push(group);
    }
}

fn worker(name: &Name, (worker, entry, after): Changed<'_>) -> Write {
    Write::Worker(Box::new(WorkerWrite { namespace: *name, worker, before: entry.before, after }))
}
