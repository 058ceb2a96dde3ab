//! The writes of a turn: groups of rows that are written together, and the group that a request waits for.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use leafid_core::Name;

use crate::register::Line;
use crate::write::{Group, Outcome};

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

impl Scope {
    /// The scope of the row of a line.
    pub fn of(line: &Line) -> Scope {
        match line.row {
            (tag, None) => Scope::Tag(tag),
            (name, Some(worker)) => Scope::Worker(name, worker),
        }
    }
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

    /// Whether the rows of a scope are written, or stay as they are.
    pub fn holds(&self, scope: Scope, outcomes: &[Outcome]) -> bool {
        let outcome = self.place(scope).map(|place| outcomes.get(place));
        matches!(outcome, None | Some(Some(Outcome::Done(_))))
    }

    /// Adds the group of a scope.
    pub fn push(&mut self, scope: Scope, group: Group) {
        self.places.insert(scope, self.groups.len());
        self.groups.push(group);
    }
}
