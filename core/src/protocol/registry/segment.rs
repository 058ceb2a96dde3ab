//! Segments: the next numbers of a tag.

use super::{STEP_CAP, TagRow, same_store};
use crate::protocol::{SegmentAsk, SegmentGrant};
use crate::values::{Code, Range, Refusal, StoreTime, Token};

/// Leases the next numbers of a tag.
///
/// The answer has `step` numbers, or `at_least` where that is more, and never more than
/// `max_step`. An `at_least` that is more than that is not looked at: so many can never be had in
/// one go, and nothing is leased for it. The last lease of a line may be shorter.
///
/// # Errors
/// `STORE_CHANGED`, `TAG_UNKNOWN` (deleted), `STEP_INVALID`, `COUNT_INVALID` for an `at_least` of
/// 0, `STORE_WENT_BACK` if the caller has numbers that were never granted here, `TAG_SPENT` at the
/// end of the line.
pub fn lease_segment(
    store: Token,
    row: &TagRow,
    ask: &SegmentAsk,
    now: StoreTime,
) -> Result<(TagRow, SegmentGrant), Refusal<StoreTime>> {
    same_store(store, ask.store)?;
    if row.deleted {
        return Err(Code::TagUnknown.into());
    }
    let step = ask.step.unwrap_or(row.step);
    if step == 0 || step > STEP_CAP {
        return Err(Code::StepInvalid.into());
    }
    if ask.at_least == Some(0) {
        return Err(Code::CountInvalid.into());
    }
    if ask.have_until.is_some_and(|end| end > row.max_id) {
        return Err(Code::StoreWentBack.into());
    }
    let at_least = ask.at_least.filter(|n| *n <= row.max_step).unwrap_or(0);
    let granted = u64::from(step.min(row.max_step).max(at_least)).min(row.remaining());
    if granted == 0 {
        return Err(Code::TagSpent.into());
    }
    let range = Range::new(row.max_id, row.max_id.saturating_add(granted));
    let row = TagRow { max_id: range.end, ..*row };
    let grant = SegmentGrant {
        request: ask.request,
        store,
        tag: ask.tag,
        range,
        step: row.step,
        max_step: row.max_step,
        remaining: row.remaining(),
        now,
    };
    Ok((row, grant))
}
