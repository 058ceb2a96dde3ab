//! What a turn writes: which rows together, and which of it a request waits for.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use leafid_core::Name;

use crate::write::Group;

/// What a request is about: what else is decided on it in the same turn is written in one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// It only reads.
    Nothing,
    /// The store itself.
    Beat,
    /// A tag.
    Tag(Name),
    /// A namespace, and the numbers that are written with it.
    Namespace(Name),
    /// A worker number alone.
    Worker(Name, u32),
}

/// The groups of a turn.
#[derive(Debug, Default)]
pub struct Groups {
    /// In the order in which they are written.
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
