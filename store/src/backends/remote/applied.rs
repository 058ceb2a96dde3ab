//! Whether a group was written whole.

use super::driver::Did;
use crate::backends::sql::{Query, Step};

/// How much of a group was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// All of it.
    Whole,
    /// A part: the transaction must not be committed.
    Half,
    /// Nothing.
    Not,
}

/// Looks at what the statements of a group did; those that were left out did nothing.
pub fn applied(steps: &[Step], did: &[Did]) -> Applied {
    let rows = |at: usize| did.get(at).map_or(0, |did| did.rows);
    let held = |(at, step): (usize, &Step)| {
        at < did.len() && (matches!(step, Step::Adjust(_)) || rows(at) > 0)
    };
    let wrote = |(at, step): (usize, &Step)| !matches!(step, Step::Find(_)) && rows(at) > 0;
    let whole = steps.iter().enumerate().all(held);
    match (whole, steps.iter().enumerate().any(wrote)) {
        (true, _) => Applied::Whole,
        (false, true) => Applied::Half,
        (false, false) => Applied::Not,
    }
}

/// The statement of a step.
pub fn query(step: &Step) -> &Query {
    match step {
        Step::Write(query) | Step::Adjust(query) | Step::Find(query) => query,
    }
}

#[cfg(test)]
mod tests {
    use super::super::about;
    use super::*;

    #[test]
    fn a_group_is_whole_only_where_every_condition_held() {
        let query = || about::query("", |_| {});
        let steps = [Step::Find(query()), Step::Write(query()), Step::Adjust(query())];
        for (rows, gives) in [
            (&[1, 1, 0][..], Applied::Whole),
            (&[1, 1, 5], Applied::Whole),
            (&[1, 0], Applied::Not),
            (&[0], Applied::Not),
            (&[0, 1, 0], Applied::Half),
            (&[1, 0, 1], Applied::Half),
            (&[1, 1], Applied::Half),
            (&[], Applied::Not),
        ] {
            let did: Vec<_> = rows.iter().map(|rows| Did { rows: *rows, now_ms: None }).collect();
            assert_eq!(applied(&steps, &did), gives, "{rows:?}");
        }
    }
}
