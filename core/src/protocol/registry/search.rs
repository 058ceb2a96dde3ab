//! Looks up, step by step, the rows from which an acquire is decided.

use super::{Candidates, Namespace, Worker, WorkerRow};
use crate::values::{Name, StoreTime};

/// The rows that a store has looked up for an acquire. [`Search::next`] names the next look-up, and in
/// the end the rows to decide from, so that a store chooses nothing itself.
///
/// ```
/// use leafid_core::registry::{Look, Namespace, Search, WorkerRow};
/// use leafid_core::{Layout, Name, Range, StoreTime};
/// let space = Namespace::create(Layout::LEAF, Some(Range::new(0, 8)), None)?;
/// let (owner, now) = (Name::owner("host/1")?, StoreTime::new(1_800_000_000_000));
/// // By the namespace's row, the numbers below 5 were handed out.
/// let mut search = Search { used_until: 5, ..Search::default() };
/// assert_eq!(search.next(&space, &owner, now), Look::Unused { from: 5 });
/// // 5 and 6 have rows, too: another server was faster.
/// search.unused = Some(7);
/// let Look::Enough(candidates) = search.next(&space, &owner, now) else { unreachable!() };
/// assert_eq!(candidates.rested, Some((7, WorkerRow::default())));
/// // The next acquire of this namespace looks from 8 on, which is its end.
/// assert_eq!(search.used_until(7), 8);
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// From the namespace's row: every number of the range below this has a row.
    pub used_until: u64,
    /// The row with this request as its key.
    pub mine: Option<Worker>,
    /// The rows that are kept for this owner; any two if there are more.
    pub own: [Option<Worker>; 2],
    /// The lowest number without a row, at or above [`Look::Unused`]'s `from`, inside the range or not.
    pub unused: Option<u64>,
    /// Two numbers inside the range: of those kept for no owner the one with the lowest `reserved_until`,
    /// and of the kept ones the one granted first (if that is still kept, all others are).
    pub resting: Option<[Option<Worker>; 2]>,
}

/// The next look-up.
#[expect(clippy::large_enum_variant, reason = "it is taken apart where it is made")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// [`Search::unused`]: the lowest number from `from` on that has no row.
    Unused {
        /// Where to begin.
        from: u64,
    },
    /// [`Search::resting`].
    Resting,
    /// None: these are the rows to decide from.
    Enough(Candidates),
}

impl Search {
    /// The next look-up for this owner.
    pub fn next(&self, namespace: &Namespace, owner: &Name, now: StoreTime) -> Look {
        let Search { used_until, mine, own, .. } = *self;
        if mine.is_some() {
            // A repeated request is answered from its row; no other look-up is needed.
            return Look::Enough(Candidates { mine, ..Candidates::default() });
        }
        let workers = namespace.workers;
        let unused = match self.unused {
            // `used_until` may be outdated, so look: a number with a row may be held.
            None if used_until < workers.end => {
                return Look::Unused { from: used_until.max(workers.start) };
            }
            unused => unused.unwrap_or(used_until),
        };
        let fresh = u32::try_from(unused).ok().filter(|number| namespace.hands_out(*number));
        let rested = match (fresh, self.resting) {
            (Some(number), _) => Some((number, WorkerRow::default())),
            (None, None) => return Look::Resting,
            (None, Some(resting)) => {
                let found = resting.into_iter().chain(own).flatten();
                namespace.longest_rested(found, owner, now)
            }
        };
        Look::Enough(Candidates { mine, own, rested })
    }

    /// [`Search::used_until`] of the next acquire, once this one has given the number `given`.
    pub fn used_until(&self, given: u32) -> u64 {
        match self.unused {
            Some(unused) if unused == u64::from(given) => unused.saturating_add(1),
            Some(unused) => unused.max(self.used_until),
            None => self.used_until,
        }
    }
}

impl Namespace {
    /// Of the numbers inside the range the one that rested longest and is kept for no other owner; if
    /// none is free, the one that will be free first.
    pub fn longest_rested(
        &self,
        rows: impl Iterator<Item = Worker>,
        owner: &Name,
        now: StoreTime,
    ) -> Option<Worker> {
        rows.filter(|(number, _)| self.hands_out(*number))
            .min_by_key(|(_, row)| (row.is_kept_from(owner, now), row.reserved_until))
    }
}
