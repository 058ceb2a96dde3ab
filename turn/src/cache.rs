//! A cache of rows written last, to decide on without a read. Each write is conditional on the row as it was
//! decided on, so a change by another server is noticed.

use alloc::collections::BTreeMap;

use leafid_core::Name;
use leafid_core::registry::{TagRow, WorkerRow};

use crate::groups::Scope;
use crate::row::{NamespaceRow, Seen};
use crate::write::{Group, Outcome, Write};

/// Rows of a kind that are kept; one more, and all are dropped.
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
    /// Takes in the outcome of a group; rows that were not written are dropped.
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
                        // A change of the range changes the rows of its numbers.
                        self.workers.retain(|(name, _), _| name != namespace);
                    }
                    keep(&mut self.namespaces, *namespace, Seen { row: *after, revision });
                }
                Write::Worker(write) => {
                    let seen = Seen { row: write.after, revision };
                    keep(&mut self.workers, (write.namespace, write.worker), seen);
                }
                Write::Server(_) | Write::Fence { .. } | Write::Beat(_) => {}
            }
        }
    }

    /// Drops the rows that a request of this scope is decided on.
    pub fn doubt(&mut self, scope: Scope) {
        match scope {
            Scope::Nothing | Scope::Beat | Scope::Server => {}
            Scope::Tag(tag) => drop(self.tags.remove(&tag)),
            Scope::Namespace(name) => drop(self.namespaces.remove(&name)),
            Scope::Worker(name, worker) => {
                self.namespaces.remove(&name);
                self.workers.remove(&(name, worker));
            }
        }
    }
}

/// The scope of a write. A worker's has a condition on its namespace beside it.
fn scope(write: &Write) -> Scope {
    match write {
        Write::Tag { tag, .. } => Scope::Tag(*tag),
        Write::Same(name, _) | Write::Namespace { namespace: name, .. } => Scope::Namespace(*name),
        Write::Worker(write) => Scope::Worker(write.namespace, write.worker),
        Write::Server(_) | Write::Fence { .. } | Write::Beat(_) => Scope::Nothing,
    }
}

fn keep<K: Ord, T>(rows: &mut BTreeMap<K, T>, key: K, row: T) {
    if rows.len() >= MOST && !rows.contains_key(&key) {
        rows.clear();
    }
    rows.insert(key, row);
}
