//! The writes of a turn: groups of rows that are written together, and the group that a request waits for.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use leafid_core::Name;

use crate::write::Group;

/// The rows that a request is about. Changes of one scope in a turn are written as one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// None: it only reads.
    Nothing,
    /// The store itself.
    Beat,
    /// A server's record.
    Server,
    /// A tag.
    Tag(Name),
    /// A namespace, and the worker numbers written with it.
    Namespace(Name),
    /// A worker number alone.
    Worker(Name, u32),
}

/// The groups of a turn.
#[derive(Debug, Default)]
pub struct Groups {
    /// The groups, in the order of writing.
    pub groups: Vec<Group>,
    places: BTreeMap<Scope, usize>,
}

impl Groups {
    /// The group that a request of this scope waits for, if it changed anything.
    pub fn place(&self, scope: Scope) -> Option<usize> {
        match (self.places.get(&scope), scope) {
            (None, Scope::Worker(name, _)) => self.places.get(&Scope::Namespace(name)).copied(),
            (place, _) => place.copied(),
        }
    }

    /// Adds the group of a scope.
    pub fn push(&mut self, scope: Scope, group: Group) {
        self.places.insert(scope, self.groups.len());
        self.groups.push(group);
    }
}
