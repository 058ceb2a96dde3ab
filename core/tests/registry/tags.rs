//! One tag under arbitrary requests: what is leased of it never overlaps, and never reaches beyond
//! its upper end, whatever its operators do.

use leafid_core::registry::{self, TagRow, TagSpec};
use leafid_core::{Code, LINE_END, Name, Range, SegmentAsk, StoreTime};
use proptest::prelude::*;

use crate::STORE;
use crate::common::{Tally, any_number, check, token};

#[derive(Clone, Debug)]
enum ToTag {
    Lease {
        step: Option<u32>,
        at_least: Option<u32>,
        have_until: Option<u64>,
    },
    Exactly(u32),
    Delete,
    Create(TagSpec),
    Change(TagSpec),
    /// So far above where it stands, or below.
    Advance(i64),
    /// Its upper end lies so far above where it stands, or below.
    Bound(i64),
}

fn steps() -> impl Strategy<Value = Option<u32>> {
    prop::option::of(prop_oneof![3 => 1u32..5_000, 1 => any::<u32>()])
}

fn specs() -> impl Strategy<Value = TagSpec> {
    let from = || prop::option::of(prop_oneof![1 => LINE_END - 3_000..LINE_END, 3 => any_number()]);
    let until = prop::option::weighted(0.3, any_number());
    (from(), steps(), steps(), until).prop_map(|(from, step, max_step, until)| TagSpec {
        from,
        step,
        max_step,
        until,
    })
}

fn events() -> impl Strategy<Value = Vec<ToTag>> {
    let event = prop_oneof![
        8 => (steps(), steps(), prop::option::weighted(0.1, any_number()))
            .prop_map(|(step, at_least, have_until)| ToTag::Lease { step, at_least, have_until }),
        4 => prop_oneof![3 => 1u32..5_000, 1 => any::<u32>()].prop_map(ToTag::Exactly),
        1 => Just(ToTag::Delete),
        2 => specs().prop_map(ToTag::Create),
        1 => specs().prop_map(|spec| ToTag::Change(TagSpec { from: None, ..spec })),
        2 => (-100i64..9_000).prop_map(ToTag::Advance),
        2 => (-100i64..9_000).prop_map(ToTag::Bound),
    ];
    prop::collection::vec(event, 1..80)
}

/// A row, and beside it where the line stands: nothing below that is ever granted again.
struct Bench {
    row: TagRow,
    stands: u64,
    ends: u64,
}

impl Bench {
    fn lease(&mut self, ask: &SegmentAsk, tally: &Tally) -> Result<(), TestCaseError> {
        let row = self.row;
        let left = self.ends - self.stands;
        let lied = ask.have_until.is_some_and(|end| end > row.max_id);
        match registry::lease_segment(STORE, &row, ask, StoreTime::new(0)) {
            Ok((after, Err(refusal))) => {
                prop_assert!(lied && refusal.code == Code::StoreWentBack);
                let claimed_until = ask.have_until.max(row.claimed_until);
                prop_assert_eq!(after, TagRow { claimed_until, ..row });
                prop_assert!(after.is_stopped());
                tally.add("stopped", 1);
                self.row = after;
            }
            Ok((after, Ok(grant))) => {
                let Range { start, end } = grant.range;
                prop_assert!(!lied && !row.deleted && !row.is_stopped());
                prop_assert!(start == self.stands && start < end && end <= self.ends);
                prop_assert!(end - start <= u64::from(row.max_step));
                let step = ask.step.unwrap_or(row.step).min(row.max_step);
                let wanted = ask.at_least.filter(|n| *n <= row.max_step).unwrap_or(0);
                let most = ask.exactly.unwrap_or(step.max(wanted));
                prop_assert_eq!(end - start, u64::from(most).min(left));
                prop_assert!(ask.exactly.is_none_or(|n| end - start == u64::from(n)));
                prop_assert_eq!((after.max_id, grant.remaining), (end, self.ends - end));
                prop_assert_eq!(after, TagRow { max_id: end, ..row });
                tally.add("leases", 1);
                tally.add("short", u64::from(end == self.ends && left < u64::from(most)));
                (self.row, self.stands) = (after, end);
            }
            Err(refusal) => {
                let wanted = ask.exactly.map_or(1, u64::from);
                let right = match refusal.code {
                    Code::StoreRefused => row.is_stopped(),
                    Code::RangeInvalid => ask.have_until > Some(LINE_END),
                    Code::TagUnknown => row.deleted,
                    Code::TagSpent => left < wanted,
                    Code::CountInvalid => match ask.exactly {
                        Some(n) => n == 0 || n > row.max_step,
                        None => ask.at_least == Some(0),
                    },
                    Code::StepInvalid => ask.step > Some(registry::STEP_CAP) || ask.step == Some(0),
                    _ => false,
                };
                prop_assert!(right, "{:?} of {:?}", refusal, ask);
                tally.add("refused for want of numbers", (refusal.code == Code::TagSpent).into());
                tally.add("refused as it is stopped", (refusal.code == Code::StoreRefused).into());
            }
        }
        Ok(())
    }

    fn advance(&mut self, to: u64, tally: &Tally) -> Result<(), TestCaseError> {
        let may = !self.row.deleted && self.stands <= to && to <= self.ends;
        match self.row.advance(to) {
            Ok(row) => {
                prop_assert!(may);
                prop_assert_eq!(row, TagRow { max_id: to, claimed_until: None, ..self.row });
                tally.add("ended by an advance", self.row.is_stopped().into());
                (self.row, self.stands) = (row, to);
                tally.add("advances", 1);
            }
            Err(refusal) => {
                let code = if self.row.deleted { Code::TagUnknown } else { Code::RangeInvalid };
                prop_assert!(!may && refusal.code == code, "{:?}", refusal);
            }
        }
        Ok(())
    }

    fn change(&mut self, spec: &TagSpec) -> Result<(), TestCaseError> {
        let row = self.row;
        match row.with(spec) {
            Ok(after) => {
                prop_assert!(!row.deleted && after.max_id == row.max_id);
                prop_assert_eq!(after.claimed_until, row.claimed_until);
                prop_assert!(after.step >= 1 && after.step <= after.max_step);
                prop_assert_eq!(after.until.unwrap_or(LINE_END), spec.until.unwrap_or(self.ends));
                prop_assert!(after.max_id <= after.end());
                (self.row, self.ends) = (after, after.end());
            }
            Err(refusal) => {
                let below = spec.until.is_some_and(|until| until < self.stands);
                let right = match refusal.code {
                    Code::TagUnknown => row.deleted,
                    Code::RangeInvalid => below || spec.until > Some(LINE_END),
                    code => code == Code::StepInvalid,
                };
                prop_assert!(right, "{:?} of {:?}", refusal, spec);
            }
        }
        Ok(())
    }

    fn create(&mut self, spec: &TagSpec) -> Result<(), TestCaseError> {
        let there = !self.row.deleted;
        match TagRow::create(Some(&self.row), spec) {
            Ok(anew) => {
                prop_assert!(!there && anew.max_id >= self.stands && !anew.deleted);
                prop_assert_eq!(anew.claimed_until, self.row.claimed_until);
                prop_assert!(anew.step >= 1 && anew.step <= anew.max_step);
                // The upper end is of the tag that was deleted, not of its line.
                prop_assert_eq!(anew.until, spec.until.filter(|until| *until < LINE_END));
                prop_assert!(anew.max_id <= anew.end());
                *self = Bench { row: anew, stands: anew.max_id, ends: anew.end() };
            }
            Err(refusal) => prop_assert_eq!(there, refusal.code == Code::TagExists),
        }
        Ok(())
    }
}

#[test]
fn segments_of_one_tag_never_overlap_and_end_where_it_ends() {
    let floors = [
        ("leases", 150),
        ("short", 20),
        ("refused for want of numbers", 100),
        ("advances", 20),
        ("stopped", 5),
        ("refused as it is stopped", 10),
        ("ended by an advance", 2),
    ];
    check(file!(), 1_000, (specs(), events()), &floors, |(spec, events), tally| {
        let Ok(row) = TagRow::create(None, &spec) else { return Ok(()) };
        prop_assert_eq!(row.max_id, spec.from.unwrap_or(1));
        let mut bench = Bench { row, stands: row.max_id, ends: row.end() };
        let tag = Name::tag("orders").unwrap();
        for event in events {
            let stood = bench.stands;
            match event {
                ToTag::Lease { step, at_least, have_until } => {
                    let ask =
                        SegmentAsk { step, at_least, have_until, ..SegmentAsk::new(tag, token(1)) };
                    bench.lease(&ask, tally)?;
                }
                ToTag::Exactly(n) => {
                    let ask = SegmentAsk { exactly: Some(n), ..SegmentAsk::new(tag, token(1)) };
                    bench.lease(&ask, tally)?;
                }
                ToTag::Delete => bench.row.deleted = true,
                ToTag::Create(spec) => bench.create(&spec)?,
                ToTag::Change(spec) => bench.change(&spec)?,
                ToTag::Advance(by) => bench.advance(stood.saturating_add_signed(by), tally)?,
                ToTag::Bound(by) => {
                    let until = Some(stood.saturating_add_signed(by));
                    bench.change(&TagSpec { until, ..TagSpec::default() })?;
                }
            }
            prop_assert!(bench.row.max_id == bench.stands && bench.stands >= stood);
            prop_assert!(bench.stands <= bench.ends && bench.ends <= LINE_END);
        }
        Ok(())
    });
}

#[test]
fn the_end_of_every_line_takes_an_upper_end_away() {
    let spec = |until| TagSpec { until: Some(until), ..TagSpec::default() };
    let row = TagRow::create(None, &spec(1 << 31)).unwrap();
    assert_eq!((row.until, row.end(), row.remaining()), (Some(1 << 31), 1 << 31, (1 << 31) - 1));
    let row = row.with(&TagSpec { step: Some(5), ..TagSpec::default() }).unwrap();
    assert_eq!(row.until, Some(1 << 31), "what is not said stays");
    let row = row.with(&spec(LINE_END)).unwrap();
    assert_eq!((row.until, row.end()), (None, LINE_END));
    assert_eq!(row.with(&spec(LINE_END + 1)).unwrap_err().code, Code::RangeInvalid);
    assert_eq!(row.with(&spec(0)).unwrap_err().code, Code::RangeInvalid);
    let stopped = row.with(&spec(1)).unwrap();
    assert_eq!((stopped.until, stopped.remaining()), (Some(1), 0), "nothing more is granted");
}

#[test]
fn exactly_stands_alone() {
    let row = TagRow::create(None, &TagSpec::default()).unwrap();
    let ask = SegmentAsk::new(Name::tag("orders").unwrap(), token(1));
    for ask in [
        SegmentAsk { exactly: Some(5), step: Some(5), ..ask },
        SegmentAsk { exactly: Some(5), at_least: Some(5), ..ask },
    ] {
        let refused = registry::lease_segment(STORE, &row, &ask, StoreTime::new(0)).unwrap_err();
        assert_eq!(refused.code, Code::RequestInvalid);
    }
}
