//! What a turn writes: which rows together, and which of it a request waits for.

use std::collections::BTreeMap;

use leafid_core::Name;

use crate::backends::Group;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Nothing,
    Beat,
    Tag(Name),
    Namespace(Name),
    Worker(Name, u32),
}

#[derive(Debug, Default)]
pub struct Groups {
    pub groups: Vec<Group>,
    places: BTreeMap<Scope, usize>,
}

impl Groups {
    pub fn place(&self, scope: Scope) -> Option<usize> {
        match (self.places.get(&scope), scope) {
            (None, Scope::Worker(name, _)) => self.places.get(&Scope::Namespace(name)).copied(),
            (place, _) => place.copied(),
        }
    }

    pub fn push(&mut self, scope: Scope, group: Group) {
        self.places.insert(scope, self.groups.len());
        self.groups.push(group);
    }
}
