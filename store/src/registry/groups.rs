//! What a turn writes: which rows together, and which of it a request waits for.

use std::collections::BTreeMap;

use leafid_core::Name;

use crate::backends::Group;

/// What a request reads and changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Nothing that is written.
    Nothing,
    /// The time that is written for its own sake.
    Beat,
    Tag(Name),
    /// A namespace and its numbers.
    Namespace(Name),
    /// One number of a namespace.
    Worker(Name, u32),
}

/// What a turn writes.
#[derive(Debug, Default)]
pub struct Groups {
    pub groups: Vec<Group>,
    places: BTreeMap<Scope, usize>,
}

impl Groups {
    /// Which group a request of this scope waits for, if one is written.
    pub fn place(&self, scope: Scope) -> Option<usize> {
        match (self.places.get(&scope), scope) {
            (None, Scope::Worker(name, _)) => self.places.get(&Scope::Namespace(name)).copied(),
            (place, _) => place.copied(),
        }
    }

    /// Has these written together, for requests of this scope.
    pub fn push(&mut self, scope: Scope, group: Group) {
        self.places.insert(scope, self.groups.len());
        self.groups.push(group);
    }
}
