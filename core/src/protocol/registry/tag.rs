//! The row of a tag.

use super::{DEFAULT_MAX_STEP, DEFAULT_STEP, STEP_CAP};
use crate::values::{Code, LINE_END, Refusal};

/// The row of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagRow {
    /// The next number that was never granted.
    pub max_id: u64,
    /// How many numbers a lease takes unless it says.
    pub step: u32,
    /// How many a lease takes at most.
    pub max_step: u32,
    /// A tombstone: it keeps the position, for a tag made anew goes on above it.
    pub deleted: bool,
    /// The upper end: one more than the last number that may be granted. `None` is the end of
    /// every line, 2^63 - 1.
    pub until: Option<u64>,
    /// The highest end that a holder had while the row stood below: proof that the store has lost
    /// grants, or a false claim. While it lies above `max_id` nothing is leased ([`TagRow::is_stopped`]).
    pub claimed_until: Option<u64>,
}

/// How a tag is created or changed; what is not said is the default, or stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TagSpec {
    /// The first number; only when a tag is created.
    pub from: Option<u64>,
    /// How many numbers a lease takes unless it says.
    pub step: Option<u32>,
    /// How many a lease takes at most.
    pub max_step: Option<u32>,
    /// The upper end: one more than the last number that may be granted. [`LINE_END`] takes it
    /// away.
    pub until: Option<u64>,
}

impl TagRow {
    /// The row of a new tag, or of one made anew over its tombstone. Numbers begin at `from`, 1 if
    /// not said, and never below the position of the tombstone; what was claimed of that stays.
    ///
    /// # Errors
    /// `TAG_EXISTS` over a row that is not deleted, `STEP_INVALID` for a step of 0 or above
    /// `max_step`, or a `max_step` above [`STEP_CAP`]; `RANGE_INVALID` for a `from` of 0 or beyond
    /// 2^63 - 1, and for an `until` below the first number or beyond 2^63 - 1; `SCHEMA_MISMATCH`
    /// over a tombstone whose position lies beyond that.
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

    /// The row with other steps or another upper end; what is not said stays.
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

    /// PROTOCOL R12: the row with its position at `to`. Nothing below is granted any more. It never goes down;
    /// to where it stands it may, so that an advance whose answer was lost can be repeated. What was
    /// claimed is settled by it: an operator knows how far the numbers in use go.
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

    /// Refuses a row that no verb of this module writes: what a store reads so was damaged, or is
    /// not its own.
    ///
    /// # Errors
    /// `SCHEMA_MISMATCH` for a position of 0 (no ID is) or beyond 2^63 - 1, and for steps outside 1
    /// to [`STEP_CAP`].
    pub(super) fn sound(&self) -> Result<(), Refusal> {
        let (steps, positions) = (1..=STEP_CAP, 1..=LINE_END);
        let is_sound = positions.contains(&self.max_id)
            && steps.contains(&self.step)
            && steps.contains(&self.max_step);
        if is_sound { Ok(()) } else { Err(Code::SchemaMismatch.into()) }
    }

    /// Whether nothing is leased, as a holder has shown numbers beyond the position: until the tag
    /// is advanced, or a fence has moved it past them.
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

/// A step that is said alone may not exceed the cap; a cap that is said alone pulls a default
/// step down, as far as nobody chose that step.
fn steps(spec: &TagSpec, step_before: u32, max_before: u32) -> Result<(u32, u32), Refusal> {
    let max_step = spec.max_step.unwrap_or(max_before);
    let step = spec.step.unwrap_or(step_before.min(max_step));
    if step == 0 || step > max_step || max_step > STEP_CAP {
        return Err(Code::StepInvalid.into());
    }
    Ok((step, max_step))
}
