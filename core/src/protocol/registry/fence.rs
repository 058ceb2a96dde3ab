//! The fence: how a store that went back to an older state goes on without duplicates.
//!
//! After a restored backup, or a fail-over to a replica that lacks the last commits, rows are below
//! what was granted. A *journal*, kept apart from the store, records how far the store had come. If
//! it shows a loss, every line is moved past all that may have been granted.

use super::{Namespace, TagRow};
use crate::values::{LINE_END, StoreTime};

/// How many leases of its largest step a tag is moved past its last known end: more than were leased
/// between the journal's last write and the loss.
const GAP_STEPS: u64 = 100;
/// The clocks of servers that share a store differ by less than this, in ms.
const CLOCKS_DIFFER_MS: i64 = 5_000;
/// The least time between two fences without an operator, in ms: a store that goes back again and
/// again needs one.
const BY_ITSELF_MS: i64 = 3_600_000;

/// How far a store had come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// How often it was fenced.
    pub generation: u64,
    /// How often its database was written, by the database's own count; 0 if unknown.
    pub position: u64,
}

/// Compares a store with a journal's record of it.
///
/// ```
/// use leafid_core::registry::{Finding, Mark, Sight};
/// let same = Sight {
///     noted: Mark { generation: 1, position: 70 },
///     found: Mark { generation: 1, position: 71 },
///     same_database: true,
///     fenced_here: true,
///     line_below: false,
/// };
/// assert_eq!(same.finding(), Finding::Whole);
/// let restored = Sight { found: Mark { generation: 1, position: 60 }, ..same };
/// assert_eq!(restored.finding(), Finding::WentBack);
/// // Another server has noticed it before this one did.
/// let fenced = Sight { found: Mark { generation: 2, position: 61 }, ..same };
/// assert_eq!(fenced.finding(), Finding::Fenced);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// The journal's last record.
    pub noted: Mark,
    /// The state of the store.
    pub found: Mark,
    /// Whether the database has the same identity as when the journal was written.
    pub same_database: bool,
    /// Whether it has the same identity as when the store was fenced last.
    pub fenced_here: bool,
    /// Whether a line stands below the journal's record of it.
    pub line_below: bool,
}

/// The conclusion of a [`Sight`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Nothing is missing.
    Whole,
    /// Another server has fenced the store: the journal goes on from there. A line that stands below
    /// this journal's record is moved all the same, which does not count as another fence.
    Fenced,
    /// The store lacks something, and has to be fenced.
    WentBack,
}

impl Sight {
    /// Compares the two.
    pub fn finding(&self) -> Finding {
        let Sight { noted, found, .. } = *self;
        if found.generation > noted.generation && self.fenced_here {
            return Finding::Fenced;
        }
        let known = noted.position > 0 && found.position > 0;
        let behind = known && found.position < noted.position;
        if found.generation != noted.generation || !self.same_database || behind || self.line_below
        {
            return Finding::WentBack;
        }
        Finding::Whole
    }
}

/// Whether a store that was fenced last at `last` (0: never) may be fenced at `now` without an
/// operator.
pub fn fences_itself(last: StoreTime, now: StoreTime) -> bool {
    last.get() <= 0 || now.since(last) >= BY_ITSELF_MS
}

/// The time before which a fenced store grants no window: windows of `longest_ms` may have been
/// granted until `last`, by a server with a clock ahead of this one.
pub fn fence_time(last: StoreTime, longest_ms: u32) -> StoreTime {
    last.plus(longest_ms.into()).plus(CLOCKS_DIFFER_MS)
}

impl TagRow {
    /// PROTOCOL R21: the row after a fence, moved a gap past the highest grant known to it or to a
    /// journal; also past its own upper end, which may have been raised since the copy was made (then
    /// it grants nothing). A claim moves it no further, or any caller could use up the tag: if the
    /// claim lies beyond the gap the tag stays stopped.
    pub fn fenced(&self, noted: u64) -> TagRow {
        let gap = GAP_STEPS.saturating_mul(self.max_step.max(1).into());
        let max_id = self.max_id.max(noted).saturating_add(gap).min(LINE_END);
        TagRow { max_id, ..*self }
    }
}

impl Namespace {
    /// PROTOCOL R20: the row after a fence. No window begins before all those are over that may have
    /// been granted until `last`, the latest time at which a grant is known, nor below `noted`, the
    /// highest end that a journal knows.
    pub fn fenced(&self, last: StoreTime, noted: u64) -> Namespace {
        let layout = &self.layout;
        let differ = layout.ticks(CLOCKS_DIFFER_MS.unsigned_abs());
        let above = self.window_ticks(None).saturating_add(differ);
        let floor = match layout.tick(last) {
            Ok(tick) => tick.saturating_add(above).min(layout.end_tick()),
            Err(_) if last.get() < layout.epoch_ms() => 0,
            Err(_) => layout.end_tick(),
        };
        Namespace { floor: self.floor.max(floor).max(noted.min(layout.end_tick())), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::super::TagSpec;
    use super::*;
    use crate::values::{Layout, Range};

    fn sight(noted: (u64, u64), found: (u64, u64)) -> Sight {
        let mark = |(generation, position)| Mark { generation, position };
        Sight {
            noted: mark(noted),
            found: mark(found),
            same_database: true,
            fenced_here: true,
            line_below: false,
        }
    }

    #[test]
    fn what_is_missing_is_told_from_what_another_server_did() {
        let away = |sight: Sight| Sight { same_database: false, ..sight };
        let below = |sight: Sight| Sight { line_below: true, ..sight };
        let moved = |sight: Sight| Sight { fenced_here: false, ..sight };
        for (name, sight, finding) in [
            ("nothing happened", sight((0, 9), (0, 9)), Finding::Whole),
            ("others wrote", sight((3, 9), (3, 10)), Finding::Whole),
            ("a copy", sight((0, 9), (0, 8)), Finding::WentBack),
            ("a copy before a fence", sight((2, 9), (1, 90)), Finding::WentBack),
            ("another database", away(sight((0, 9), (0, 9))), Finding::WentBack),
            ("a line alone", below(sight((0, 9), (0, 9))), Finding::WentBack),
            ("no count", sight((0, 9), (0, 0)), Finding::Whole),
            ("no count was noted", sight((0, 0), (0, 9)), Finding::Whole),
            ("no count, and a line", below(sight((0, 0), (0, 0))), Finding::WentBack),
            ("fenced by another", sight((0, 9), (1, 5)), Finding::Fenced),
            ("fenced by another, twice", sight((0, 9), (2, 5)), Finding::Fenced),
            ("fenced, and this knows more", below(sight((0, 9), (1, 5))), Finding::Fenced),
            ("fenced at a new place", away(sight((0, 9), (1, 5))), Finding::Fenced),
            ("fenced, then moved", moved(sight((0, 9), (1, 5))), Finding::WentBack),
        ] {
            assert_eq!(sight.finding(), finding, "{name}");
        }
    }

    #[test]
    fn it_fences_itself_once_an_hour() {
        let at = StoreTime::new;
        let now = at(1_800_000_000_000);
        assert!(fences_itself(at(0), now));
        assert!(!fences_itself(now, now) && !fences_itself(now.plus(1), now));
        assert!(!fences_itself(now, now.plus(BY_ITSELF_MS - 1)));
        assert!(fences_itself(now, now.plus(BY_ITSELF_MS)));
    }

    #[test]
    fn a_tag_goes_past_the_journal_and_its_end_but_not_the_line() {
        let row = TagRow { until: Some(60), ..TagRow::create(None, &TagSpec::default()).unwrap() };
        let row = TagRow { max_id: 50, step: 10, max_step: 20, ..row };
        for (noted, max_id) in [(0, 2_050), (50, 2_050), (700, 2_700), (LINE_END, LINE_END)] {
            let after = row.fenced(noted);
            assert_eq!((after.max_id, after.remaining()), (max_id, 0), "{noted}");
            assert_eq!(TagRow { max_id: 50, ..after }, row);
        }
        let dead = TagRow { deleted: true, ..row };
        assert_eq!(dead.fenced(0).max_id, 2_050, "made again, it goes on above");
        let claimed = |end| TagRow { claimed_until: Some(end), ..row }.fenced(0).is_stopped();
        assert!(!claimed(2_050) && claimed(2_051), "a claim is no more than compared");
    }

    #[test]
    fn a_namespace_waits_for_its_longest_window_and_five_seconds() {
        let layout = Layout::LEAF;
        let space = Namespace::create(layout, Some(Range::new(0, 4)), Some(60_000)).unwrap();
        let last = layout.time(1_000_000);
        let floor = 1_000_000 + layout.ticks(65_000);
        assert_eq!(space.fenced(last, 0).floor, floor);
        assert_eq!(space.fenced(last, floor + 7).floor, floor + 7, "what a journal knows counts");
        let floored = Namespace { floor: floor + 9, ..space };
        assert_eq!(floored.fenced(last, 0).floor, floor + 9, "it never goes down");
        let early = StoreTime::new(layout.epoch_ms() - 1);
        assert_eq!(space.fenced(early, 0).floor, 0);
        let late = layout.time(layout.end_tick()).plus(1_000_000_000);
        assert_eq!(space.fenced(late, u64::MAX).floor, layout.end_tick());
    }
}
