//! Tags and their lines of numbers.

use alloc::format;
use leafid_core::registry::{self, TagRow};
use leafid_core::{Code, Name, SegmentAsk, SegmentGrant};

use crate::change::TagChange;
use crate::explain;
use crate::problem::Problem;
use crate::rows::TurnRows;
use crate::stop::Stop;

/// Leases numbers of a tag.
///
/// # Errors
/// [`registry::lease_segment`]'s, `TAG_UNKNOWN`.
pub fn lease(turn: &mut TurnRows, ask: &SegmentAsk) -> Result<SegmentGrant, Stop> {
    let row = match turn.known_tag(&ask.tag)? {
        None if turn.first_use => put(turn, &ask.tag, &TagChange::default())?,
        None => return Err(absent(ask).into()),
        Some(row) => row,
    };
    turn.claim(ask.have_until.max(row.claimed_until), row.max_id);
    let refused = |refusal| explain::segment(refusal, turn.store, &row, ask);
    let (after, answer) =
        registry::lease_segment(turn.store, &row, ask, turn.now).map_err(refused)?;
    let answer = answer.map_err(refused);
    turn.put_tag(&ask.tag, after);
    Ok(answer?)
}

/// A tag without a row. If the caller has numbers of it, creating it again at 1 would grant them twice.
fn absent(ask: &SegmentAsk) -> Problem {
    let tag = &ask.tag;
    let unknown = explain::tag_unknown(tag);
    match ask.have_until {
        Some(have) if have > 1 => {
            let detail = format!(
                "tag `{tag}` does not exist, and the caller has numbers of it up to {have}: the store \
                 has lost it, or the caller is wrong; find its largest number in use, and create it \
                 above: leafid tag create {tag} --from N"
            );
            Problem { detail, ..unknown }
        }
        _ => unknown,
    }
}

/// A tag that is not deleted.
///
/// # Errors
/// `TAG_UNKNOWN`.
pub fn tag(turn: &mut TurnRows, tag: &Name) -> Result<TagRow, Stop> {
    let row = turn.tag(tag)?.filter(|row| !row.deleted);
    row.ok_or_else(|| explain::tag_unknown(tag).into())
}

/// Creates or changes a tag.
///
/// # Errors
/// `TAG_EXISTS`, `TAG_UNKNOWN`, `STEP_INVALID`, `RANGE_INVALID`, `REQUEST_INVALID` without a first number where one is needed.
pub fn put(turn: &mut TurnRows, tag: &Name, change: &TagChange) -> Result<TagRow, Stop> {
    let before = match turn.tag(tag) {
        // It is there in another spelling, which the database takes for the same.
        Err(Stop::Refused(problem)) if problem.code == Code::TagUnknown && !change.only_change => {
            return Err(Problem { code: Code::TagExists, ..problem }.into());
        }
        before => before?,
    };
    let there = before.filter(|row| !row.deleted);
    if there.is_none() && change.only_change {
        return Err(explain::tag_unknown(tag).into());
    }
    if let Some(row) = before
        && there.is_none()
        && change.from.is_none()
        && turn.is_removed(tag)
    {
        return Err(explain::tag_removed(tag, &row).into());
    }
    // The tag may have been lost: it must not begin at 1 again.
    if before.is_none() && change.from.is_none() && turn.lost_before()?.get() > 0 {
        return Err(explain::tag_needs_from(tag).into());
    }
    let decided = match there.filter(|_| !change.only_create) {
        Some(row) => row.with(&change.spec()),
        None => TagRow::create(before.as_ref(), &change.spec()),
    };
    let row =
        decided.map_err(|refusal| explain::tag_change(refusal, tag, change, before.as_ref()))?;
    turn.put_tag(tag, row);
    Ok(row)
}

/// Moves a tag's position up.
///
/// # Errors
/// `TAG_UNKNOWN`, `RANGE_INVALID`.
pub fn advance(turn: &mut TurnRows, name: &Name, to: u64) -> Result<TagRow, Stop> {
    let before = tag(turn, name)?;
    let row = before.advance(to).map_err(|refusal| explain::advance(refusal, name, &before, to))?;
    turn.put_tag(name, row);
    Ok(row)
}

/// Deletes a tag; its row stays.
///
/// # Errors
/// `TAG_UNKNOWN`.
pub fn delete(turn: &mut TurnRows, name: &Name) -> Result<(), Stop> {
    let row = tag(turn, name)?;
    turn.put_tag(name, TagRow { deleted: true, ..row });
    Ok(())
}
