//! The oracle of kept numbers: which owner keeps which number. It is told of writes, and reads
//! no row's `sticky`.

use std::collections::BTreeMap;

use leafid_core::{AcquireAsk, Name, Range, StoreTime};

use crate::verdict::{Verdict, fail};

/// How long an owner that is not seen keeps its number: 30 days, in ms.
const KEPT_MS: i64 = 30 * 86_400_000;

#[derive(Clone, Debug, Default)]
pub struct Keeping {
    /// The owner of each number, and when it was last granted to it (store's clock).
    kept: BTreeMap<u32, (Name, StoreTime)>,
}

impl Keeping {
    fn of<'k>(&'k self, owner: &'k Name, workers: Range) -> impl Iterator<Item = u32> + 'k {
        let theirs = self.kept.iter().filter(move |(_, (whose, _))| whose == owner);
        theirs.map(|(number, _)| *number).filter(move |n| workers.contains(u64::from(*n)))
    }

    /// The own number of an owner inside a range. Of two, which a race may leave, it is the free one,
    /// or else the one granted last.
    fn own(&self, owner: &Name, workers: Range, is_free: impl Fn(u32) -> bool) -> Option<u32> {
        let seen = |number: &u32| self.kept.get(number).map(|(_, seen)| *seen);
        self.of(owner, workers).max_by_key(|number| (is_free(*number), seen(number), *number))
    }

    /// Whether an owner may keep a number: it is its own, or it has none. `is_free`: whether a
    /// number's last window is over.
    pub fn may_keep(
        &self,
        owner: &Name,
        number: u32,
        workers: Range,
        is_free: impl Fn(u32) -> bool,
    ) -> bool {
        self.own(owner, workers, is_free).is_none_or(|own| own == number)
    }

    /// Checks the registry's decision at `now` for this ask: a number, or none. `is_free`: whether
    /// a number's last window is over.
    pub fn check(
        &self,
        ask: &AcquireAsk,
        given: Option<u32>,
        workers: Range,
        now: StoreTime,
        is_free: impl Fn(u32) -> bool,
    ) -> Verdict {
        let AcquireAsk { owner, sticky, strict, .. } = ask;
        let own = self.own(owner, workers, &is_free);
        let is_own = given.is_some_and(|number| self.of(owner, workers).any(|own| own == number));
        if let Some(free) = own.filter(|own| *sticky && is_free(*own) && !is_own) {
            fail!(Kept, "{owner} keeps {free}, which is free, and got {given:?}");
        }
        let Some(number) = given else { return Ok(()) };
        if *strict && !is_own && self.of(owner, workers).next().is_some() {
            fail!(Kept, "{owner} takes only its own, and got {number}");
        }
        match self.kept.get(&number) {
            Some((other, seen)) if other != owner && now.since(*seen) < KEPT_MS => {
                fail!(Kept, "{other} keeps {number}, and {owner} got it")
            }
            _ => Ok(()),
        }
    }

    /// Notes a granted number; `keeps`: whether as the owner's own.
    pub fn granted(&mut self, number: u32, owner: &Name, keeps: bool, at: StoreTime) {
        if keeps {
            self.kept.insert(number, (*owner, at));
        } else {
            self.kept.remove(&number);
        }
    }

    pub fn renewed(&mut self, number: u32, at: StoreTime) {
        if let Some((_, seen)) = self.kept.get_mut(&number) {
            *seen = at.max(*seen);
        }
    }

    pub fn freed(&mut self, number: u32) {
        self.kept.remove(&number);
    }
}
