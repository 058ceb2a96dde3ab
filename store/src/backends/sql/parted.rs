//! Tags that lie in a table of another program, which has no room for all of a row: the rest stands
//! in our own `tags`. A tag whose row the other table has not is deleted; ours keeps its position.

use leafid_core::registry::TagRow;
use leafid_core::{Code, Name};

use super::columns::{Source, Value};
use super::{Query, Step, Texts};
use crate::backends::{Answer, Seen};
use crate::json::shown;
use crate::problem::Problem;
use crate::rate::Rate;

static NEGATIVE: Rate = Rate::new();

#[derive(Clone, Copy, Debug)]
pub struct Parted {
    pub add: &'static str,
    /// Finds that none of our rows is the tag's, in any spelling.
    pub none: &'static str,
    /// Keeps our rows of a deleted tag, in every spelling, as they were read.
    pub held: &'static str,
    pub raise: &'static str,
    pub delete: &'static str,
    pub own: &'static str,
}

impl Parted {
    /// How a tag is written. Where only the position moves, the texts' `tag_change` does it alone.
    /// The other table's row is made first: that waits for whoever deletes it, and only then do our
    /// rows have the position that it leaves.
    pub fn steps(
        &self,
        texts: &Texts,
        before: Option<&Seen<TagRow>>,
        after: &TagRow,
        write: impl Fn(&'static str) -> Query,
    ) -> Vec<Step> {
        let add = || Step::Write(write(self.add));
        let Some(Seen { row: was, .. }) = before else {
            let ours = || Step::Write(write(texts.tag_add));
            return match after.deleted {
                true => vec![ours()],
                false => vec![add(), Step::Find(write(self.none)), ours()],
            };
        };
        let held = || Step::Find(write(self.held));
        match (was.deleted, after.deleted) {
            (true, true) => vec![held(), Step::Adjust(write(self.raise))],
            (true, false) => vec![add(), held(), Step::Adjust(write(self.own))],
            (false, true) => vec![Step::Write(write(self.delete)), Step::Adjust(write(self.own))],
            (false, false) if beside(was) == beside(after) => {
                vec![Step::Write(write(texts.tag_change))]
            }
            (false, false) => {
                vec![Step::Write(write(texts.tag_change)), Step::Adjust(write(self.own))]
            }
        }
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
