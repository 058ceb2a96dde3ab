//! What a decision wants to read, and what was found.

use alloc::vec::Vec;

use leafid_core::registry::{Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{Name, Range, Token};

use crate::change::Page;
use crate::problem::Problem;
use crate::row::{Fenced, NamespaceRow, Seen};

/// What a decision wants to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// A tag, tombstones included: [`Answer::Tag`], [`Answer::Removed`].
    Tag(Name),
    /// A namespace: [`Answer::Namespace`].
    Namespace(Name),
    /// The row of a number, if it has one: [`Answer::Workers`].
    Worker(Name, u32),
    /// The row whose key is this request, if there is one: [`Answer::Workers`].
    Mine(Name, Token),
    /// Two rows at most that this owner keeps, those inside the range first: [`Answer::Workers`].
    Own(Name, Name),
    /// The lowest numbers from `from` on that have no row, up to the first at or above `end`:
    /// [`Answer::Unused`].
    Unused {
        /// The namespace.
        namespace: Name,
        /// The first number to look at.
        from: u64,
        /// The end of the range.
        end: u64,
        /// How many at most.
        count: usize,
    },
    /// The numbers inside the range that nobody keeps, those that rested longest first:
    /// [`Answer::Workers`].
    Rested(Name, usize),
    /// The kept numbers inside the range, those whose owners were not seen for longest first:
    /// [`Answer::Workers`].
    Kept(Name, usize),
    /// Of the numbers that are in `before` and not in `after`, the one that is reserved longest:
    /// [`Answer::Workers`].
    Leaving {
        /// The namespace.
        namespace: Name,
        /// Its range.
        before: Range,
        /// Its next range.
        after: Range,
    },
    /// What the store says of its last fence: [`Answer::Fenced`].
    Fenced,
    /// The names of all tags, deleted ones included, in their order: [`Answer::Names`].
    TagNames(Page<Name>),
    /// The names of all namespaces, in their order: [`Answer::Names`].
    NamespaceNames(Page<Name>),
    /// Tags that are not deleted, by name: [`Answer::Tags`].
    Tags(Page<Name>),
    /// Namespaces, by name: [`Answer::Namespaces`].
    Namespaces(Page<Name>),
    /// Numbers that have rows: [`Answer::Workers`].
    Workers(Name, Page<u32>),
}

/// What was found for a [`Want`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A tag.
    Tag(Option<Seen<TagRow>>),
    /// A tag that is deleted: its row is gone from another program's table, which may have moved it
    /// on beyond this position before.
    Removed(Seen<TagRow>),
    /// A namespace.
    Namespace(Option<Seen<NamespaceRow>>),
    /// Worker numbers and their rows.
    Workers(Vec<(u32, Seen<WorkerRow>)>),
    /// Numbers without rows.
    Unused(Vec<u64>),
    /// Tags.
    Tags(Vec<(Name, TagRow)>),
    /// Namespaces.
    Namespaces(Vec<(Name, Namespace)>),
    /// Names.
    Names(Vec<Name>),
    /// The last fence.
    Fenced(Seen<Fenced>),
    /// What is there cannot be read: whoever wants it is told, and nobody else.
    Unreadable(Problem),
}

impl Want {
    /// The namespace that it looks into.
    pub fn space(&self) -> Option<Name> {
        match *self {
            Want::Fenced
            | Want::TagNames(_)
            | Want::NamespaceNames(_)
            | Want::Tag(_)
            | Want::Tags(_)
            | Want::Namespaces(_) => None,
            Want::Namespace(name)
            | Want::Worker(name, _)
            | Want::Mine(name, _)
            | Want::Own(name, _)
            | Want::Unused { namespace: name, .. }
            | Want::Rested(name, _)
            | Want::Kept(name, _)
            | Want::Leaving { namespace: name, .. }
            | Want::Workers(name, _) => Some(name),
        }
    }
}

impl Answer {
    /// That nothing was found.
    pub fn none(want: &Want) -> Answer {
        match want {
            Want::Tag(_) => Answer::Tag(None),
            Want::Namespace(_) => Answer::Namespace(None),
            Want::Tags(_) => Answer::Tags(Vec::new()),
            Want::Namespaces(_) => Answer::Namespaces(Vec::new()),
            Want::Unused { .. } => Answer::Unused(Vec::new()),
            Want::TagNames(_) | Want::NamespaceNames(_) => Answer::Names(Vec::new()),
            Want::Fenced => Answer::Fenced(Seen::default()),
            _ => Answer::Workers(Vec::new()),
        }
    }

    /// The rows of numbers alone.
    pub fn workers(self) -> Vec<Worker> {
        match self {
            Answer::Workers(found) => found.into_iter().map(|(n, seen)| (n, seen.row)).collect(),
            _ => Vec::new(),
        }
    }
}
