//! The rows that were written last. They are decided on without being read: what is written says
//! what it was decided on, so a row that somebody else has written since is noticed then.

use alloc::collections::BTreeMap;

use leafid_core::Name;
use leafid_core::registry::{TagRow, WorkerRow};

use crate::groups::Scope;
use crate::row::{NamespaceRow, Seen};
use crate::write::{Group, Outcome, Write};

/// How many rows of a kind are kept; one more, and all are read again.
const MOST: usize = 16_384;

/// The rows of each kind.
#[derive(Debug, Default)]
pub struct Cache {
    /// Tags, tombstones included.
    pub tags: BTreeMap<Name, Seen<TagRow>>,
    /// Namespaces.
    pub namespaces: BTreeMap<Name, Seen<NamespaceRow>>,
    /// Worker numbers.
    pub workers: BTreeMap<(Name, u32), Seen<WorkerRow>>,
}

impl Cache {
    /// Takes in how a group ended; what was not written is read again.
    pub fn learn(&mut self, group: &Group, outcome: &Outcome) {
        let Outcome::Done(revisions) = outcome else {
            return group.iter().for_each(|write| self.doubt(scope(write)));
        };
        for (at, write) in group.iter().enumerate() {
            let revision = revisions.get(at).copied().unwrap_or(0);
            match write {
                Write::Same(name, seen) => keep(&mut self.namespaces, *name, *seen),
                Write::Tag { tag, after, .. } => {
                    keep(&mut self.tags, *tag, Seen { row: *after, revision });
                }
                Write::Namespace { namespace, before, after } => {
                    let had = before.map(|seen| seen.row.namespace.workers);
                    if had.is_some_and(|workers| workers != after.namespace.workers) {
                        // With the range the rows of its numbers changed.
                        self.workers.retain(|(name, _), _| name != namespace);
                    }
                    keep(&mut self.namespaces, *namespace, Seen { row: *after, revision });
                }
                Write::Worker(write) => {
                    let seen = Seen { row: write.after, revision };
                    keep(&mut self.workers, (write.namespace, write.worker), seen);
                }
                Write::Fence { .. } | Write::Beat(_) => {}
            }
        }
    }

    /// What a request of this scope is decided on is read again.
    pub fn doubt(&mut self, scope: Scope) {
        match scope {
            Scope::Nothing | Scope::Beat => {}
            Scope::Tag(tag) => drop(self.tags.remove(&tag)),
            Scope::Namespace(name) => drop(self.namespaces.remove(&name)),
            Scope::Worker(name, worker) => {
                self.namespaces.remove(&name);
                self.workers.remove(&(name, worker));
            }
        }
    }
}

/// What a write is about. One of a worker has a condition on its namespace beside it.
fn scope(write: &Write) -> Scope {
    match write {
        Write::Tag { tag, .. } => Scope::Tag(*tag),
        Write::Same(name, _) | Write::Namespace { namespace: name, .. } => Scope::Namespace(*name),
        Write::Worker(write) => Scope::Worker(write.namespace, write.worker),
        Write::Fence { .. } | Write::Beat(_) => Scope::Nothing,
    }
}

fn keep<K: Ord, T>(rows: &mut BTreeMap<K, T>, key: K, row: T) {
    if rows.len() >= MOST && !rows.contains_key(&key) {
        rows.clear();
    }
    rows.insert(key, row);
}
