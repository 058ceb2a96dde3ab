//! The fence: how a store that went back to an older state goes on without duplicates.
//!
//! After a restored backup, or a fail-over to a replica that lacks the last commits, rows are below
//! what was granted. The servers' *journals*, kept apart from the store, have the bound of each line:
//! every row that is below its bound is raised to it. Without a journal the bounds are guessed.

use super::{Namespace, TagRow, WorkerRow};
use crate::values::{LINE_END, StoreTime};

/// How many leases of its largest step a tag is moved where no journal knows its bound: more than were
/// leased between the last copy of the store and the loss.
const GAP_STEPS: u64 = 100;
/// The clocks of servers that share a store differ by less than this, in ms.
const CLOCKS_DIFFER_MS: i64 = 5_000;
/// The time before which a fenced store grants no window: windows of `longest_ms` may have been
/// granted until `last`, by a server with a clock ahead of this one.
pub fn fence_time(last: StoreTime, longest_ms: u32) -> StoreTime {
    last.plus(longest_ms.into()).plus(CLOCKS_DIFFER_MS)
}

impl TagRow {
    /// PROTOCOL R25: the row raised to the bound that a journal has of it; also past its own upper end,
    /// which may have been raised since the copy was made (then it grants nothing). `None` if it is not
    /// below. A claim moves it no further, or any caller could use up the tag: if the claim lies beyond
    /// the bound the tag stays stopped.
    pub fn raised(&self, bound: u64) -> Option<TagRow> {
        let bound = bound.min(LINE_END);
        (self.max_id < bound).then_some(TagRow { max_id: bound, ..*self })
    }

    /// The row after a fence without a journal, moved a gap past the highest known bound.
    pub fn fenced(&self, bound: u64) -> TagRow {
        let gap = GAP_STEPS.saturating_mul(self.max_step.max(1).into());
        let max_id = self.max_id.max(bound).saturating_add(gap).min(LINE_END);
        TagRow { max_id, ..*self }
    }
}

impl WorkerRow {
    /// PROTOCOL R24: the row raised to the last window that a journal has of it: the number rests until
    /// the end of that, and whose it was is not known. A lease that began at `young` or later may have
    /// been decided on the store that went back, before anybody noticed, and is ended in the same way.
    /// `None` if neither is so.
    pub fn raised(&self, granted: StoreTime, end: u64, young: u64) -> Option<WorkerRow> {
        let is_below =
            self.granted < granted || (self.granted == granted && self.reserved_until < end);
        let is_young = self.key.is_some() && self.held_from >= young;
        (is_below || is_young).then_some(WorkerRow {
            key: None,
            reserved_until: self.reserved_until.max(end),
            granted: self.granted.max(granted),
            ..*self
        })
    }
}

impl Namespace {
    /// The row after a fence without a journal. No window begins before all those are over that may have
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
    use crate::values::{Layout, Range, Token};

    #[test]
    fn a_row_is_raised_to_its_bound_and_never_lowered() {
        let row = TagRow { max_id: 50, ..TagRow::create(None, &TagSpec::default()).unwrap() };
        assert_eq!((row.raised(49), row.raised(50)), (None, None));
        assert_eq!(row.raised(51), Some(TagRow { max_id: 51, ..row }));
        assert_eq!(row.raised(u64::MAX).map(|row| row.max_id), Some(LINE_END));
        let claimed = |bound| TagRow { claimed_until: Some(80), ..row }.raised(bound).unwrap();
        assert!(claimed(79).is_stopped() && !claimed(80).is_stopped(), "a claim is only compared");

        let at = StoreTime::new;
        let key = Some(Token::new([1; 16]));
        let row = WorkerRow {
            key,
            held_from: 3,
            granted: at(5),
            reserved_until: 9,
            ..WorkerRow::default()
        };
        let raised = |granted, end, young| {
            let after = row.raised(at(granted), end, young)?;
            assert_eq!((after.key, after.held_from), (None, 3));
            Some((after.granted.get(), after.reserved_until))
        };
        for (granted, end, young, after) in [
            (4, 99, 4, None),
            (5, 8, 4, None),
            (5, 9, 4, None),
            (5, 10, 4, Some((5, 10))),
            (6, 7, 4, Some((6, 9))),
            (4, 99, 3, Some((5, 99))),
        ] {
            assert_eq!(raised(granted, end, young), after, "{granted} {end} {young}");
        }
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
