//! What an acquire is decided on, looked up step by step.

use super::{Candidates, Namespace, Worker, WorkerRow};
use crate::values::{Name, StoreTime};

/// What a store has looked up for an acquire. [`Search::next`] says what is missing, and in the end
/// which rows to decide on: a store has these look-ups, and chooses nothing itself.
///
/// ```
/// use leafid_core::registry::{Look, Namespace, Search, WorkerRow};
/// use leafid_core::{Layout, Name, Range, StoreTime};
/// let space = Namespace::create(Layout::LEAF, Some(Range::new(0, 8)), None)?;
/// let (owner, now) = (Name::owner("host/1")?, StoreTime::new(1_800_000_000_000));
/// // The numbers below 5 were handed out, says the row of the namespace.
/// let mut search = Search { used_until: 5, ..Search::default() };
/// assert_eq!(search.next(&space, &owner, now), Look::Unused { from: 5 });
/// // 5 and 6 have rows, too: somebody was faster.
/// search.unused = Some(7);
/// let Look::Enough(candidates) = search.next(&space, &owner, now) else { unreachable!() };
/// assert_eq!(candidates.rested, Some((7, WorkerRow::default())));
/// // The next acquire of this namespace looks from 8 on, which is its end.
/// assert_eq!(search.used_until(7), 8);
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Every number of the range below it has a row, says the row of the namespace.
    pub used_until: u64,
    /// The row whose key is this request.
    pub mine: Option<Worker>,
    /// The rows that this owner keeps; a store that finds more gives any two.
    pub own: [Option<Worker>; 2],
    /// The lowest number without a row, from where [`Look::Unused`] said, inside the range or not.
    pub unused: Option<u64>,
    /// Of the numbers inside the range that nobody keeps the one with the lowest `reserved_until`,
    /// and of the kept ones the one that was granted first: if that is still kept, all others are.
    pub resting: Option<[Option<Worker>; 2]>,
}

/// What is to be looked up next.
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
    /// Nothing: these are the rows to decide on.
    Enough(Candidates),
}

impl Search {
    /// What to look up next for this owner.
    pub fn next(&self, namespace: &Namespace, owner: &Name, now: StoreTime) -> Look {
        let Search { used_until, mine, own, .. } = *self;
        if mine.is_some() {
            // A request that comes again is answered from its row, and nothing else is looked for.
            return Look::Enough(Candidates { mine, ..Candidates::default() });
        }
        let workers = namespace.workers;
        let unused = match self.unused {
            // What is noted is not believed without a look: a number with a row may be held.
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
    /// Of these numbers the one that rested longest and nobody but `owner` keeps; if none is free,
    /// the one that will be first. Numbers outside the range are left out.
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
