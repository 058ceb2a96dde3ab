//! Numbers in hand: they are reserved in the row of their tag, and not granted. A turn decides on the row as
//! if they were not reserved.

use leafid_core::registry::TagRow;
use leafid_core::{Name, Range};

use super::TurnRows;
use crate::namespace_rows::Entry;

/// Numbers of a tag that are reserved in its row, and not granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InHand {
    /// The tag.
    pub tag: Name,
    /// Its row.
    pub row: TagRow,
    /// The numbers.
    pub rest: Range,
    /// How many were granted before them in this turn.
    pub granted: u64,
}

impl TurnRows {
    /// A tag's row, if it is at hand. Numbers in hand that are the last reserved ones count as not granted.
    pub(super) fn position(&mut self, tag: &Name) -> Option<Option<TagRow>> {
        let entry = self.tags.get_mut(tag)?;
        if let (Some(row), Some(rest), false) =
            (&mut entry.row, self.in_hand.get(tag), entry.touched)
            && row.max_id == rest.end
        {
            row.max_id = rest.start;
        }
        Some(entry.row)
    }

    /// Adds numbers in hand, so that what is decided on the tag begins with them.
    pub fn hold(&mut self, tag: &Name, rest: Option<Range>) {
        self.in_hand.extend(rest.map(|rest| (*tag, rest)));
    }

    /// Reserves numbers of a tag beyond those that are granted.
    pub fn reserve(&mut self, tag: &Name, ahead: u64) {
        let known = self.ahead.entry(*tag).or_default();
        *known = ahead.max(*known);
    }

    /// Notes that an operator changes a tag: nothing is reserved beyond its position.
    pub fn settle(&mut self, tag: &Name) {
        self.ahead.remove(tag);
        self.changed.insert(*tag);
    }

    /// The row of a tag to write, if any.
    pub(super) fn written(&self, tag: &Name, entry: &Entry<TagRow>) -> Option<TagRow> {
        let row = entry.row.filter(|_| entry.touched)?;
        let Some(ahead) = self.ahead.get(tag) else { return entry.after() };
        let end = row.max_id.saturating_add(*ahead).min(row.end()).max(row.max_id);
        let is_reserved = |was: TagRow| {
            let is_leased = row == TagRow { max_id: row.max_id, ..was };
            is_leased && (row.max_id < was.max_id || end == was.max_id)
        };
        if entry.before.is_some_and(|seen| is_reserved(seen.row)) {
            return None;
        }
        Some(TagRow { max_id: end, ..row })
    }

    /// The numbers that are in hand once this turn is written.
    pub fn in_hand(&self) -> impl Iterator<Item = InHand> + '_ {
        self.tags.iter().filter_map(|(tag, entry)| {
            let before = entry.before.map(|seen| seen.row);
            let held = self
                .in_hand
                .get(tag)
                .filter(|rest| before.is_some_and(|row| row.max_id == rest.end));
            let start = held.map(|rest| rest.start).or(before.map(|row| row.max_id));
            let position = if entry.touched { entry.row?.max_id } else { start? };
            if entry.touched && !self.ahead.contains_key(tag) || !entry.touched && held.is_none() {
                return None;
            }
            let row = self.written(tag, entry).or(before)?;
            let granted = position.saturating_sub(start.unwrap_or(position));
            Some(InHand { tag: *tag, row, rest: Range::new(position, row.max_id), granted })
        })
    }

    /// What was in hand of a tag before this turn, if no operator changes the tag.
    pub fn held(&self, tag: &Name) -> Option<InHand> {
        let row = self.tags.get(tag)?.before?.row;
        let rest = *self.in_hand.get(tag).filter(|rest| rest.end == row.max_id)?;
        let held = InHand { tag: *tag, row, rest, granted: 0 };
        (!self.changed.contains(tag)).then_some(held)
    }
}
