//! Segments: the next numbers of a tag.

use super::{Answer, STEP_CAP, TagRow, same_store};
use crate::protocol::{SegmentAsk, SegmentGrant};
use crate::values::{Code, LINE_END, Range, Refusal, StoreTime, Token};

/// Leases the next numbers of a tag.
///
/// The answer has `step` numbers, or `at_least` where that is more, and never more than `max_step`. A
/// larger `at_least` is ignored, as that many can never be had in one go. The last lease before the
/// tag's end ([`TagRow::end`]) may be shorter. With `exactly` the answer has that many numbers, or
/// nothing is leased.
///
/// Write the row whatever the answer is: a caller that has numbers which were never granted here is
/// refused (`STORE_WENT_BACK`), and the row records up to where ([`TagRow::claimed_until`]), which
/// stops the tag for all.
///
/// # Errors
/// They change nothing.
/// `STORE_CHANGED`, `TAG_UNKNOWN` (deleted), `SCHEMA_MISMATCH` for a row that cannot be (a position of
/// 0 or beyond 2^63 - 1, a step of 0), `STEP_INVALID`, `COUNT_INVALID` for an `at_least` or
/// `exactly` of 0 and an `exactly` above `max_step`, `REQUEST_INVALID` for an `exactly` beside
/// `step` or `at_least`, `RANGE_INVALID` for a `have_until` beyond 2^63 - 1, `STORE_REFUSED` of a
/// stopped tag ([`TagRow::is_stopped`]), `TAG_SPENT` where nothing is left, or less than `exactly`.
pub fn lease_segment(
    store: Token,
    row: &TagRow,
    ask: &SegmentAsk,
    now: StoreTime,
) -> Result<(TagRow, Answer<SegmentGrant>), Refusal<StoreTime>> {
    same_store(store, ask.store)?;
    if row.deleted {
        return Err(Code::TagUnknown.into());
    }
    row.sound()?;
    let wanted = wanted(row, ask)?;
    if ask.have_until > Some(LINE_END) {
        return Err(Code::RangeInvalid.into());
    }
    // PROTOCOL R9
    if ask.have_until > Some(row.max_id) {
        let claimed_until = ask.have_until.max(row.claimed_until);
        return Ok((TagRow { claimed_until, ..*row }, Err(Code::StoreWentBack.into())));
    }
    // PROTOCOL R10
    if row.is_stopped() {
        return Err(Code::StoreRefused.into());
    }
    // PROTOCOL R8
    let granted = wanted.min(row.remaining());
    if granted == 0 || (ask.exactly.is_some() && granted < wanted) {
        return Err(Code::TagSpent.into());
    }
    // PROTOCOL R7
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
    Ok((row, Ok(grant)))
}

/// How many numbers the ask is for, within what the tag gives in one go.
fn wanted(row: &TagRow, ask: &SegmentAsk) -> Result<u64, Refusal> {
    if let Some(exactly) = ask.exactly {
        if ask.step.is_some() || ask.at_least.is_some() {
            return Err(Code::RequestInvalid.into());
        }
        if exactly == 0 || exactly > row.max_step {
            return Err(Code::CountInvalid.into());
        }
        return Ok(exactly.into());
    }
    let step = ask.step.unwrap_or(row.step);
    if step == 0 || step > STEP_CAP {
        return Err(Code::StepInvalid.into());
    }
    if ask.at_least == Some(0) {
        return Err(Code::CountInvalid.into());
    }
    let at_least = ask.at_least.filter(|n| *n <= row.max_step).unwrap_or(0);
    Ok(step.min(row.max_step).max(at_least).into())
}
