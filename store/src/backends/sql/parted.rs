//! Tags that lie in a table of another program, which has no room for all of a row: the rest stands
//! in our own `tags`. A tag whose row the other table has not is deleted; ours keeps its position.

use leafid_core::registry::TagRow;
use leafid_core::{Code, Name};

use super::columns::{Source, Value};
use super::{Query, Step};
use crate::backends::{Answer, Seen};
use crate::json::shown;
use crate::problem::Problem;
use crate::rate::Rate;

static NEGATIVE: Rate = Rate::new();

/// How a tag is written, by the names of texts. Where only the position moves, `tag_change` does it
/// alone. The other table's row is made first: that waits for whoever deletes it, and only then do our
/// rows have the position that it leaves.
pub fn steps(
    before: Option<&Seen<TagRow>>,
    after: &TagRow,
    write: impl Fn(&'static str) -> Query,
) -> Vec<Step> {
    let add = || Step::Write(write("leaf/tag_add"));
    let own = || Step::Adjust(write("leaf/tag_own"));
    let change = || Step::Write(write("rows/tag_change"));
    let Some(Seen { row: was, .. }) = before else {
        let ours = Step::Write(write("rows/tag_add"));
        return match after.deleted {
            true => vec![ours],
            false => vec![add(), Step::Find(write("leaf/tag_none")), ours],
        };
    };
    let held = || Step::Find(write("leaf/tag_held"));
    match (was.deleted, after.deleted) {
        (true, true) => vec![held(), Step::Adjust(write("leaf/tag_raise"))],
        (true, false) => vec![add(), held(), own()],
        (false, true) => vec![Step::Write(write("leaf/tag_delete")), own()],
        (false, false) if beside(was) == beside(after) => vec![change()],
        (false, false) => vec![change(), own()],
    }
}

/// What of a tag stands in our row alone.
fn beside(row: &TagRow) -> (u32, Option<u64>, Option<u64>) {
    (row.max_step, row.until, row.claimed_until)
}

/// What was found of a tag, as its row says beside the tag's fields: in which spelling it is there, and
/// whether its row was removed from the other table past us. A step below 0, which no tag of ours can have,
/// goes to the log.
pub fn judged(tag: &Name, answer: Answer, row: &impl Source) -> Answer {
    let value = |name: &str| {
        let column = (0..row.columns()).find(|column| row.name(*column) == Some(name));
        column.and_then(|column| row.value(column))
    };
    if let Some(Value::Int(step @ ..0)) = value("leaf_step")
        && let Some(left_out) = NEGATIVE.admit(Code::StepInvalid)
    {
        let code = Code::StepInvalid;
        tracing::warn!(%code, left_out, "tag `{tag}` has `step` {step} in `leaf_alloc`, and counts as one of 0");
    }
    match (value("tag"), value("removed"), answer) {
        (Some(Value::Text(written)), ..) if written != tag.as_str() => {
            let detail = format!(
                "tag `{tag}` is written `{written}` in `leaf_alloc`, whose collation takes both for one \
                 name; use `{written}`",
                written = shown(&written)
            );
            Answer::Unreadable(Problem::new(Code::TagUnknown, detail))
        }
        (_, Some(Value::Int(1)), Answer::Tag(Some(seen))) => Answer::Removed(seen),
        (_, _, answer) => answer,
    }
}
