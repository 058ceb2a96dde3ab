//! Patterns: how tags are made on their first lease, and what an operator says of that.

mod words;

use leafid_core::Name;
use leafid_core::registry::{TagRow, TagSpec};

use super::explain;
use super::pattern_rows::PatternRows;
use super::rows::TurnRows;
use super::stop::Stop;
use crate::backends::{Answer, Group, Want, Write};
use crate::problem::Problem;
use crate::store::pattern::{Pattern, PatternChange, PatternRow, Patterns, USUAL_MOST};

pub use words::unknown;

/// How many tags are made in one turn: they are written together, with the patterns that count them.
const MADE_TOGETHER: usize = 32;

/// The patterns, as they were read and as the requests before have left them.
fn rows(turn: &mut TurnRows) -> Result<&mut PatternRows, Stop> {
    if turn.patterns.is_none() {
        let Answer::Fenced(before) = turn.list(Want::Fenced)? else {
            let detail = "the store does not say which patterns it has";
            return Err(Problem::unavailable(detail).into());
        };
        turn.patterns = Some(PatternRows::read(before)?);
    }
    turn.patterns.as_mut().ok_or(Stop::Wanting)
}

/// The pattern by which a tag without a row is made, and how it begins.
///
/// # Errors
/// `TAG_UNKNOWN` where none fits or the store was fenced since, `QUOTA_EXCEEDED` where it has made as
/// many tags as it may.
pub fn first(turn: &mut TurnRows, tag: &Name) -> Result<(Pattern, TagRow), Stop> {
    let rows = rows(turn)?;
    let Some((pattern, row)) = rows.now.of(tag) else {
        return Err(explain::tag_unknown(tag).into());
    };
    if row.generation != rows.generation() {
        return Err(words::suspended(tag, &pattern, &row).into());
    }
    if row.made >= row.most {
        return Err(words::full(tag, &pattern, &row).into());
    }
    if rows.made.len() >= MADE_TOGETHER {
        return Err(Stop::Later);
    }
    let begun = TagRow::create(None, &row.spec()).map_err(Problem::from)?;
    Ok((pattern, begun))
}

/// Makes a tag whose first lease left its row so.
pub fn make(turn: &mut TurnRows, pattern: Pattern, tag: &Name, row: TagRow) -> Result<(), Stop> {
    let rows = rows(turn)?;
    if let Some(found) = rows.now.get(&pattern) {
        let made = found.made.saturating_add(1);
        // It is there, so it is not one too many.
        let _ = rows.put(pattern, PatternRow { made, ..found });
    }
    rows.made.insert(*tag);
    turn.put_tag(tag, row);
    Ok(())
}

/// Says in the log which tags were made with this group.
pub fn tell(group: &Group) {
    if !matches!(group.first(), Some(Write::Fence { .. })) {
        return;
    }
    for write in group {
        if let Write::Tag { tag, before: None, after } = write {
            tracing::info!(%tag, step = after.step, "created by its first lease, as its pattern says");
        }
    }
}

/// Those that are not removed, and how often the store was fenced.
pub fn list(turn: &mut TurnRows) -> Result<(Patterns, u64), Stop> {
    let rows = rows(turn)?;
    Ok((rows.now.clone(), rows.generation()))
}

/// Creates or changes a pattern.
pub fn put(
    turn: &mut TurnRows,
    pattern: Pattern,
    change: &PatternChange,
) -> Result<(PatternRow, u64), Stop> {
    if !turn.keeps_tags {
        return Err(words::not_in_another().into());
    }
    let lost = turn.lost_before()?.get() > 0;
    let rows = rows(turn)?;
    let generation = rows.generation();
    let before = rows.now.get(&pattern);
    let there = before.filter(|row| !row.deleted);
    if there.is_none() && change.only_change {
        return Err(words::unknown(&pattern).into());
    }
    if there.is_some() && change.only_create {
        return Err(words::exists(&pattern).into());
    }
    // A tag that is not there may be one that was lost.
    let suspended = before.map_or(lost, |row| row.generation != generation);
    let row = decide(&pattern, before, change, suspended)?;
    let row = PatternRow { generation, ..row };
    if !rows.put(pattern, row) {
        return Err(words::too_many().into());
    }
    Ok((row, generation))
}

/// What a pattern is after a change; `suspended` if the store was fenced since its `from` was said.
///
/// # Errors
/// `REQUEST_INVALID` for a suspended one without `from`, `RANGE_INVALID` for a `from` that is lower than
/// before or no higher than that of a suspended one, and those of a tag that is created.
pub fn decide(
    pattern: &Pattern,
    before: Option<PatternRow>,
    change: &PatternChange,
    suspended: bool,
) -> Result<PatternRow, Problem> {
    let from = match (change.spec.from, before) {
        (None, _) if suspended => return Err(words::needs_from(pattern, before.as_ref())),
        (Some(from), Some(row)) if from < row.from || (suspended && from == row.from) => {
            return Err(words::goes_down(pattern, &row, from, suspended));
        }
        (said, before) => said.unwrap_or(before.map_or(1, |row| row.from)),
    };
    // One that was removed begins as a new one does, but for where it begins.
    let there = before.filter(|row| !row.deleted);
    let refused = |refusal| words::cannot_be(refusal, pattern, &change.spec, from);
    let begun = match there {
        Some(PatternRow { step, max_step, until, .. }) => {
            let (deleted, claimed_until) = (false, None);
            let now = TagRow { max_id: from, step, max_step, deleted, until, claimed_until };
            let changed = now.with(&TagSpec { from: None, ..change.spec }).map_err(refused)?;
            let TagRow { step, max_step, until, .. } = changed;
            let all = (Some(from), Some(step), Some(max_step));
            TagSpec { from: all.0, step: all.1, max_step: all.2, until }
        }
        None => TagSpec { from: Some(from), ..change.spec },
    };
    let begun = TagRow::create(None, &begun).map_err(refused)?;
    let most = change.most.or(there.map(|row| row.most)).unwrap_or(USUAL_MOST);
    if most == 0 {
        return Err(words::makes_none(pattern));
    }
    let TagRow { max_id: from, step, max_step, until, .. } = begun;
    let (made, generation) = before.map_or((0, 0), |row| (row.made, row.generation));
    Ok(PatternRow { from, step, max_step, until, most, made, generation, deleted: false })
}

/// Removes a pattern; the tags that it made stay.
pub fn delete(turn: &mut TurnRows, pattern: Pattern) -> Result<(), Stop> {
    let rows = rows(turn)?;
    match rows.now.get(&pattern).filter(|row| !row.deleted) {
        Some(row) => {
            let _ = rows.put(pattern, PatternRow { deleted: true, ..row });
            Ok(())
        }
        None => Err(words::unknown(&pattern).into()),
    }
}
