//! The reads that a decision asks for, and their answers.

use alloc::vec::Vec;

use leafid_core::registry::{Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{Name, Range, Token};

use crate::change::Page;
use crate::problem::Problem;
use crate::register::Server;
use crate::row::{Fenced, NamespaceRow, Seen};

/// A read that a decision asks for.
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
    /// At most two rows that this owner keeps, those inside the range first: [`Answer::Workers`].
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
    /// Numbers inside the range that are not kept, the longest rested first:
    /// [`Answer::Workers`].
    Rested(Name, usize),
    /// Kept numbers inside the range, those of the owners longest unseen first:
    /// [`Answer::Workers`].
    Kept(Name, usize),
    /// Of the numbers in `before` that are not in `after`, the one reserved longest:
    /// [`Answer::Workers`].
    Leaving {
        /// The namespace.
        namespace: Name,
        /// Its range.
        before: Range,
        /// Its next range.
        after: Range,
    },
    /// The store's servers: [`Answer::Servers`]. Read before [`Want::Fenced`], never after it.
    Servers,
    /// The store's last fence: [`Answer::Fenced`].
    Fenced,
    /// The positions of all tags, deleted ones included, by name: [`Answer::Positions`].
    Positions(Page<Name>),
    /// The names of all namespaces, in their order: [`Answer::Names`].
    NamespaceNames(Page<Name>),
    /// Tags that are not deleted, by name: [`Answer::Tags`].
    Tags(Page<Name>),
    /// Namespaces, by name: [`Answer::Namespaces`].
    Namespaces(Page<Name>),
    /// Worker numbers that have rows: [`Answer::Workers`].
    Workers(Name, Page<u32>),
}

/// The answer to a [`Want`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A tag.
    Tag(Option<Seen<TagRow>>),
    /// A tag whose row is gone from another program's table, which may have moved it beyond this position
    /// before.
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
    /// The positions of tags.
    Positions(Vec<(Name, u64)>),
    /// The store's servers.
    Servers(Vec<Server>),
    /// The last fence.
    Fenced(Seen<Fenced>),
    /// A row that cannot be read: only the requests that want it are refused.
    Unreadable(Problem),
}

impl Want {
    /// The namespace that it reads, if any.
    pub fn space(&self) -> Option<Name> {
        match *self {
            Want::Fenced
            | Want::Servers
            | Want::Positions(_)
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
    /// The answer if nothing was found.
    pub fn none(want: &Want) -> Answer {
        match want {
            Want::Tag(_) => Answer::Tag(None),
            Want::Namespace(_) => Answer::Namespace(None),
            Want::Tags(_) => Answer::Tags(Vec::new()),
            Want::Namespaces(_) => Answer::Namespaces(Vec::new()),
            Want::Unused { .. } => Answer::Unused(Vec::new()),
            Want::NamespaceNames(_) => Answer::Names(Vec::new()),
            Want::Positions(_) => Answer::Positions(Vec::new()),
            Want::Servers => Answer::Servers(Vec::new()),
            Want::Fenced => Answer::Fenced(Seen::default()),
            _ => Answer::Workers(Vec::new()),
        }
    }

    /// The rows of worker numbers; empty for other answers.
    pub fn workers(self) -> Vec<Worker> {
        match self {
            Answer::Workers(found) => found.into_iter().map(|(n, seen)| (n, seen.row)).collect(),
            _ => Vec::new(),
        }
    }
}
