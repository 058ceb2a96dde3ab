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
}

impl TagRow {
    /// The row of a new tag, or of one made anew over its tombstone. Numbers begin at `from`, 1 if
    /// not said.
    ///
    /// # Errors
    /// `TAG_EXISTS` over a row that is not deleted, `STEP_INVALID` for a step of 0 or above
    /// `max_step`, or a `max_step` above [`STEP_CAP`]; `RANGE_INVALID` for a `from` of 0 or beyond
    /// 2^63 - 1.
    pub fn create(
        before: Option<&TagRow>,
        from: Option<u64>,
        step: Option<u32>,
        max_step: Option<u32>,
    ) -> Result<TagRow, Refusal> {
        if before.is_some_and(|row| !row.deleted) {
            return Err(Code::TagExists.into());
        }
        let from = from.unwrap_or(1);
        if from == 0 || from > LINE_END {
            return Err(Code::RangeInvalid.into());
        }
        let above = before.map_or(0, |row| row.max_id);
        let (step, max_step) = steps(step, max_step, DEFAULT_STEP, DEFAULT_MAX_STEP)?;
        Ok(TagRow { max_id: from.max(above), step, max_step, deleted: false })
    }

    /// The row with other steps; what is not said stays.
    ///
    /// # Errors
    /// `TAG_UNKNOWN` for a tombstone, `STEP_INVALID` as in [`TagRow::create`].
    pub fn with_steps(&self, step: Option<u32>, max_step: Option<u32>) -> Result<TagRow, Refusal> {
        if self.deleted {
            return Err(Code::TagUnknown.into());
        }
        let (step, max_step) = steps(step, max_step, self.step, self.max_step)?;
        Ok(TagRow { step, max_step, ..*self })
    }

    /// How many numbers were never granted.
    pub fn remaining(&self) -> u64 {
        LINE_END.saturating_sub(self.max_id)
    }
}

/// A step that is said alone may not exceed the cap; a cap that is said alone pulls a default
/// step down, as far as nobody chose that step.
fn steps(
    step: Option<u32>,
    max_step: Option<u32>,
    step_before: u32,
    max_before: u32,
) -> Result<(u32, u32), Refusal> {
    let max_step = max_step.unwrap_or(max_before);
    let step = step.unwrap_or(step_before.min(max_step));
    if step == 0 || step > max_step || max_step > STEP_CAP {
        return Err(Code::StepInvalid.into());
    }
    Ok((step, max_step))
}
