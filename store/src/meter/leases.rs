//! Counts of leases, by tag and by namespace. Only a limited number of names, and only those with a grant,
//! have counters of their own: callers can make up names, which must not fill the memory.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use leafid_core::{Code, Name, Range, SegmentGrant, StoreTime};
use leafid_wire::http_status;

use super::Counter;
use crate::problem::Problem;

/// How many tags, and how many namespaces, are counted by name. The others are counted together.
pub const NAMED: usize = 200;

const RECENT: usize = 8;

/// Counts of asks by outcome.
#[derive(Debug, Default)]
pub struct Outcomes {
    /// Asks that were granted.
    pub granted: Counter,
    /// Asks that were refused.
    pub refused: Counter,
    /// Asks that failed without a decision.
    pub failed: Counter,
}

impl Outcomes {
    /// Counts an outcome.
    pub fn note<T>(&self, outcome: &Result<T, Problem>) {
        match outcome {
            Ok(_) => self.granted.one(),
            Err(problem) if is_failure(problem) => self.failed.one(),
            Err(_) => self.refused.one(),
        }
    }

    /// The counts by their names in metrics.
    pub fn each(&self) -> [(&'static str, u64); 3] {
        let Outcomes { granted, refused, failed } = self;
        [("granted", granted.get()), ("refused", refused.get()), ("failed", failed.get())]
    }
}

fn is_failure(problem: &Problem) -> bool {
    http_status(problem.code).is_none_or(|status| status >= 500)
        && problem.code != Code::WorkersExhausted
}

/// The counts of a tag.
#[derive(Debug, Default)]
pub struct OfTag {
    /// Leases of numbers.
    pub leases: Outcomes,
    /// How many numbers were leased.
    pub ids: Counter,
    recent: Mutex<VecDeque<Leased>>,
}

/// A range that was leased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leased {
    /// The numbers.
    pub range: Range,
    /// The time of the lease, by the store's clock.
    pub at: StoreTime,
}

impl OfTag {
    /// Counts the outcome of a lease.
    pub fn note(&self, lease: &Result<SegmentGrant, Problem>) {
        self.leases.note(lease);
        let Ok(grant) = lease else { return };
        self.ids.more(grant.range.len());
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.len() >= RECENT {
            recent.pop_front();
        }
        recent.push_back(Leased { range: grant.range, at: grant.now });
    }

    /// The last leases, the newest last.
    pub fn recent(&self) -> Vec<Leased> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.iter().copied().collect()
    }
}

/// The counts of a namespace.
#[derive(Debug, Default)]
pub struct OfSpace {
    /// Acquires of worker numbers.
    pub acquires: Outcomes,
    /// Renewals of windows.
    pub renewals: Outcomes,
    /// Releases of windows.
    pub releases: Outcomes,
}

/// The counts of single IDs that the server hands out.
#[derive(Debug, Default)]
pub struct OfSingle {
    /// IDs.
    pub ids: Counter,
    /// Requests that had to wait.
    pub waits: Counter,
}

/// Counters by name.
#[derive(Debug, Default)]
pub struct Named<T> {
    names: RwLock<HashMap<Name, Arc<T>>>,
    others: Arc<T>,
}

impl<T: Default> Named<T> {
    /// The counters of a name, which gets its own with its first grant.
    pub fn of(&self, name: &Name, granted: bool) -> Arc<T> {
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = names.get(name) {
            return Arc::clone(found);
        }
        let full = names.len() >= NAMED;
        drop(names);
        if !granted || full {
            return Arc::clone(&self.others);
        }
        let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
        if names.len() >= NAMED {
            return Arc::clone(&self.others);
        }
        Arc::clone(names.entry(*name).or_default())
    }

    /// All counters by name, and last those of the other names together.
    pub fn each(&self) -> Vec<(Option<Name>, Arc<T>)> {
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = names.iter().map(|(n, t)| (Some(*n), Arc::clone(t))).collect();
        drop(names);
        all.sort_by_key(|(name, _)| *name);
        all.push((None, Arc::clone(&self.others)));
        all
    }
}

/// All counts of a store's leases.
#[derive(Debug, Default)]
pub struct Leases {
    /// By tag.
    pub tags: Named<OfTag>,
    /// By namespace.
    pub spaces: Named<OfSpace>,
    /// Leases of numbers in hand, which the store was not asked for.
    pub from_memory: Counter,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_bounded_and_those_that_were_refused_have_no_counters() {
        let leases = Leases::default();
        let tag = |n: usize| Name::tag(&format!("t{n}")).unwrap();
        let unknown = Problem::new(Code::TagUnknown, "x");
        let refused: Result<(), Problem> = Err(unknown);
        leases.tags.of(&tag(0), refused.is_ok()).leases.note(&refused);
        assert_eq!(leases.tags.each().len(), 1, "only the others");
        for n in 0..NAMED + 50 {
            leases.tags.of(&tag(n), true).leases.note(&Ok::<_, Problem>(()));
        }
        let each = leases.tags.each();
        assert_eq!(each.len(), NAMED + 1);
        let (name, others) = each.last().unwrap();
        assert_eq!(*name, None);
        assert_eq!(others.leases.each(), [("granted", 50), ("refused", 1), ("failed", 0)]);
    }

    #[test]
    fn no_number_is_an_answer_and_no_store_is_none() {
        let outcomes = Outcomes::default();
        for code in [Code::WorkersExhausted, Code::TagSpent, Code::StoreUnavailable] {
            outcomes.note(&Err::<(), _>(Problem::new(code, "x")));
        }
        assert_eq!(outcomes.each(), [("granted", 0), ("refused", 2), ("failed", 1)]);
    }
}
