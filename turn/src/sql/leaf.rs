//! Tags in Leaf's own table, which has no columns for all of a row: the rest is in our own `tags`. A tag whose
//! row is gone from Leaf's table is deleted; ours keeps its position.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use leafid_core::registry::TagRow;
use leafid_core::{Code, Name};

use super::columns::{Source, Value};
use super::{Query, Step};
use crate::problem::Problem;
use crate::row::Seen;
use crate::want::Answer;

/// The steps of writing a tag. `tag_change` alone moves the position. The other table's row is inserted
/// first: that waits for a transaction that deletes it, and only then does our row have the last position.
pub fn steps(
    before: Option<&Seen<TagRow>>,
    after: &TagRow,
    write: impl Fn(&'static str) -> Query,
) -> Vec<Step> {
    let add = || Step::Write(write("leaf_add"));
    let own = || Step::Adjust(write("tag_own"));
    let change = || Step::Write(write("tag_change"));
    let Some(Seen { row: was, .. }) = before else {
        let ours = Step::Write(write("tag_add"));
        return match after.deleted {
            true => vec![ours],
            false => vec![add(), Step::Find(write("tag_none")), ours],
        };
    };
    let held = || Step::Find(write("tag_held"));
    match (was.deleted, after.deleted) {
        (true, true) => vec![held(), Step::Adjust(write("tag_raise"))],
        (true, false) => vec![add(), held(), own()],
        (false, true) => vec![Step::Write(write("tag_delete")), own()],
        (false, false) if beside(was) == beside(after) => vec![change()],
        (false, false) => vec![change(), own()],
    }
}

/// The fields of a tag that only our row has.
fn beside(row: &TagRow) -> (u32, Option<u64>, Option<u64>) {
    (row.max_step, row.until, row.claimed_until)
}

fn value<'r>(row: &'r impl Source, name: &str) -> Option<Value<'r>> {
    let column = (0..row.columns()).find(|column| row.name(*column) == Some(name));
    column.and_then(|column| row.value(column))
}

/// Judges a tag by the columns beside its fields: its spelling in the table, and whether its row was removed
/// from the other table without us.
pub fn judged(tag: &Name, answer: Answer, row: &impl Source) -> Answer {
    match (value(row, "tag"), value(row, "removed"), answer) {
        (Some(Value::Text(written)), ..) if written != tag.as_str() => {
            let detail = format!(
                "tag `{tag}` is written `{written:.80}` in `leaf_alloc`, whose collation takes both for one \
                 name; use `{written:.80}`"
            );
            Answer::Unreadable(Problem::new(Code::TagUnknown, detail))
        }
        (_, Some(Value::Int(1)), Answer::Tag(Some(seen))) => Answer::Removed(seen),
        (_, _, answer) => answer,
    }
}
