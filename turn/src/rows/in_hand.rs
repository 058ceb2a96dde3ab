//! Numbers that are reserved in the row of their tag beyond those that a turn grants.

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
    /// Reserves numbers of a tag beyond those that are granted.
    pub fn reserve(&mut self, tag: &Name, ahead: u64) {
        let known = self.ahead.entry(*tag).or_default();
        *known = ahead.max(*known);
    }

    /// Notes that an operator changes a tag: nothing is reserved beyond its position, and what is in hand of it
    /// counts no more.
    pub fn settle(&mut self, tag: &Name) {
        self.ahead.remove(tag);
        self.changed.insert(*tag);
    }

    /// The tags that an operator changes.
    pub fn settled_tags(&self) -> impl Iterator<Item = &Name> {
        self.changed.iter()
    }

    /// The row of a tag to write, if any.
    pub(super) fn written(&self, tag: &Name, entry: &Entry<TagRow>) -> Option<TagRow> {
        let row = entry.row?;
        let ahead = self.ahead.get(tag).copied().unwrap_or(0);
        // The last numbers of a tag are leased from its row, which says how many there are.
        let reserved = row.max_id.checked_add(ahead).filter(|end| *end < row.end());
        let max_id = reserved.unwrap_or(row.max_id);
        Entry { row: Some(TagRow { max_id, ..row }), ..*entry }.after()
    }

    /// The numbers that are in hand once this turn is written.
    pub fn in_hand(&self) -> impl Iterator<Item = InHand> + '_ {
        self.ahead.keys().filter_map(|tag| {
            let entry = self.tags.get(tag)?;
            let (row, position) = (self.written(tag, entry)?, entry.row?.max_id);
            let before = entry.before.map_or(position, |seen| seen.row.max_id);
            let granted = position.saturating_sub(before);
            Some(InHand { tag: *tag, row, rest: Range::new(position, row.max_id), granted })
        })
    }
}
