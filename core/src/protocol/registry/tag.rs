//! The row of a tag.

use super::{DEFAULT_MAX_STEP, DEFAULT_STEP, STEP_CAP};
use crate::values::{Code, LINE_END, Refusal};

/// The row of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagRow {
    /// The first number that was never granted.
    pub max_id: u64,
    /// How many numbers a lease takes by default.
    pub step: u32,
    /// How many numbers a lease takes at most.
    pub max_step: u32,
    /// Whether this is a tombstone, which keeps the position: the tag goes on above it if created again.
    pub deleted: bool,
    /// The upper end: one more than the last number that may be granted. `None` means the end of every
    /// line, 2^63 - 1.
    pub until: Option<u64>,
    /// The highest end that a holder claimed while the row stood below: the store has lost grants, or
    /// the claim is false. While it lies above `max_id` nothing is leased ([`TagRow::is_stopped`]).
    pub claimed_until: Option<u64>,
}

/// How to create or change a tag; `None` is the default, or keeps the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TagSpec {
    /// The first number; only for creating a tag.
    pub from: Option<u64>,
    /// How many numbers a lease takes by default.
    pub step: Option<u32>,
    /// How many numbers a lease takes at most.
    pub max_step: Option<u32>,
    /// The upper end: one more than the last number that may be granted. [`LINE_END`] removes it.
    pub until: Option<u64>,
}

impl TagRow {
    /// Makes the row of a new tag, or of one created again over its tombstone. Numbers begin at `from`, by
    /// default 1, and never below the tombstone's position; the tombstone's claim stays.
    ///
    /// # Errors
    /// `TAG_EXISTS` over a row that is not deleted, `STEP_INVALID` for a step of 0 or above
    /// `max_step`, or a `max_step` above [`STEP_CAP`]; `RANGE_INVALID` for a `from` of 0 or beyond
    /// 2^63 - 1, and for an `until` below the first number or beyond 2^63 - 1; `SCHEMA_MISMATCH`
    /// over a tombstone with a position beyond that.
    pub fn create(before: Option<&TagRow>, spec: &TagSpec) -> Result<TagRow, Refusal> {
        if before.is_some_and(|row| !row.deleted) {
            return Err(Code::TagExists.into());
        }
        // PROTOCOL R11
        let from = spec.from.unwrap_or(1);
        if from == 0 || from > LINE_END {
            return Err(Code::RangeInvalid.into());
        }
        let above = before.map_or(0, |row| row.max_id);
        if above > LINE_END {
            return Err(Code::SchemaMismatch.into());
        }
        let (step, max_step) = steps(spec, DEFAULT_STEP, DEFAULT_MAX_STEP)?;
        let (max_id, claimed_until) = (from.max(above), before.and_then(|row| row.claimed_until));
        let row = TagRow { max_id, step, max_step, deleted: false, until: None, claimed_until };
        row.bounded(spec.until)
    }

    /// Changes the steps or the upper end; `None` keeps the value.
    ///
    /// # Errors
    /// `TAG_UNKNOWN` for a tombstone, `TAG_EXISTS` for a `from`, `STEP_INVALID` as in
    /// [`TagRow::create`], `RANGE_INVALID` for an `until` below the position or beyond 2^63 - 1.
    pub fn with(&self, spec: &TagSpec) -> Result<TagRow, Refusal> {
        if self.deleted {
            return Err(Code::TagUnknown.into());
        }
        if spec.from.is_some() {
            return Err(Code::TagExists.into());
        }
        let (step, max_step) = steps(spec, self.step, self.max_step)?;
        TagRow { step, max_step, ..*self }.bounded(spec.until)
    }

    /// PROTOCOL R12: moves the position to `to`, below which nothing is granted any more. It never goes
    /// down; moving it to where it stands is allowed, so that an advance can be repeated if its answer
    /// was lost. It clears a claim: the operator knows how far the numbers in use go.
    ///
    /// # Errors
    /// `TAG_UNKNOWN` for a tombstone, `RANGE_INVALID` for a `to` below the position or beyond
    /// [`TagRow::end`].
    pub fn advance(&self, to: u64) -> Result<TagRow, Refusal> {
        if self.deleted {
            return Err(Code::TagUnknown.into());
        }
        if to < self.max_id || to > self.end() {
            return Err(Code::RangeInvalid.into());
        }
        Ok(TagRow { max_id: to, claimed_until: None, ..*self })
    }

    /// Refuses a row that no verb of this module writes: it was damaged, or written by another program.
    ///
    /// # Errors
    /// `SCHEMA_MISMATCH` for a position of 0 (which is no ID) or beyond 2^63 - 1, and for steps outside 1
    /// to [`STEP_CAP`].
    pub(super) fn sound(&self) -> Result<(), Refusal> {
        let (steps, positions) = (1..=STEP_CAP, 1..=LINE_END);
        let is_sound = positions.contains(&self.max_id)
            && steps.contains(&self.step)
            && steps.contains(&self.max_step);
        if is_sound { Ok(()) } else { Err(Code::SchemaMismatch.into()) }
    }

    /// Whether nothing is leased because a holder claimed numbers beyond the position: until the tag is
    /// advanced, or a fence moves it past them.
    pub fn is_stopped(&self) -> bool {
        self.claimed_until > Some(self.max_id)
    }

    /// One more than the last number that may be granted: `until`, or the end of every line.
    pub fn end(&self) -> u64 {
        self.until.unwrap_or(LINE_END).min(LINE_END)
    }

    /// How many numbers can still be granted.
    pub fn remaining(&self) -> u64 {
        self.end().saturating_sub(self.max_id)
    }

    fn bounded(self, until: Option<u64>) -> Result<TagRow, Refusal> {
        match until {
            None => Ok(self),
            Some(until) if until < self.max_id || until > LINE_END => {
                Err(Code::RangeInvalid.into())
            }
            Some(until) => Ok(TagRow { until: Some(until).filter(|end| *end < LINE_END), ..self }),
        }
    }
}

/// Combines new and old steps. A new step alone must not exceed the old `max_step`; a new `max_step`
/// alone lowers the step if that is larger.
fn steps(spec: &TagSpec, step_before: u32, max_before: u32) -> Result<(u32, u32), Refusal> {
    let max_step = spec.max_step.unwrap_or(max_before);
    let step = spec.step.unwrap_or(step_before.min(max_step));
    if step == 0 || step > max_step || max_step > STEP_CAP {
        return Err(Code::StepInvalid.into());
    }
    Ok((step, max_step))
}
