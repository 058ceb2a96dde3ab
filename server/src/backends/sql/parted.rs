//! Tags that lie in a table of another program, which has no room for all of a row: the rest stands
//! in our own `tags`. A tag whose row the other table has not is deleted; ours keeps its position.

use leafid_core::registry::TagRow;

use super::{Query, Step, Texts};
use crate::backends::Seen;

/// The texts that write to both tables.
#[derive(Clone, Copy, Debug)]
pub struct Parted {
    /// Makes the other table's row.
    pub add: &'static str,
    /// Makes our row of a deleted tag one of a tag that is there.
    pub again: &'static str,
    /// Deletes the other table's row.
    pub delete: &'static str,
    /// Writes our row, which may not be there yet.
    pub own: &'static str,
}

impl Parted {
    /// How a tag is written. Where only the position moves, the texts' `tag_change` does it alone.
    pub fn steps(
        &self,
        texts: &Texts,
        before: Option<&Seen<TagRow>>,
        after: &TagRow,
        write: impl Fn(&'static str) -> Query,
    ) -> Vec<Step> {
        let Some(Seen { row: was, .. }) = before else {
            if after.deleted {
                return vec![Step::Write(write(texts.tag_add))];
            }
            return vec![Step::Write(write(texts.tag_add)), Step::Write(write(self.add))];
        };
        match (was.deleted, after.deleted) {
            (true, true) => vec![Step::Write(write(self.again))],
            (true, false) => vec![Step::Write(write(self.again)), Step::Write(write(self.add))],
            (false, true) => vec![Step::Write(write(self.delete)), Step::Adjust(write(self.own))],
            (false, false) if (was.max_step, was.until) == (after.max_step, after.until) => {
                vec![Step::Write(write(texts.tag_change))]
            }
            (false, false) => {
                vec![Step::Write(write(texts.tag_change)), Step::Adjust(write(self.own))]
            }
        }
    }
}
