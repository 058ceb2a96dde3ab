//! The interface to a database's client crate, and the reading of the effects of statements.

use std::future::Future;
use std::time::Duration;

use super::rows::Row;
use crate::backends::far::Client;
use crate::backends::link::Broken;
use leafid_turn::sql::{Query, Step, Texts};

/// The time-out for an exchange. The database's own time-outs are shorter, so that the outcome is known.
pub const EXCHANGE: Duration = Duration::from_secs(4);
/// The time-out for a row lock of another session, in ms.
pub const LOCKED_MS: u32 = 2_000;
/// The time-out for a statement, in ms.
pub const STATEMENT_MS: u32 = 3_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Did {
    pub rows: u64,
    pub now_ms: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A single statement, without a transaction around it.
    Alone,
    /// Commit, whatever the statements found.
    Committed,
    /// Leave the transaction open, to be ended by what the statements found.
    Open,
}

/// A connection to a database.
///
/// # Errors
/// Every method tells how the exchange failed.
pub trait Driver: Client {
    /// How many requests' rows are read at once.
    const AT_ONCE: usize;
    /// The most queries of one exchange: as many as are sent together. More, sent one after another's
    /// answer, would exceed the time-out of the exchange if the database is far away.
    const TOGETHER: usize;

    /// The SQL texts for this database.
    fn texts(&self) -> Texts;

    /// Runs the queries, pipelined if the protocol can.
    fn read(
        &mut self,
        asked: &[Query],
    ) -> impl Future<Output = Result<Vec<Vec<Row>>, Broken>> + Send;

    /// Writes groups in one transaction, and gives the effects of each group's steps in order. After a
    /// condition that did not hold, the rest of its group may be left out.
    fn write(
        &mut self,
        groups: &[&[Step]],
        ending: Ending,
    ) -> impl Future<Output = Result<Vec<Vec<Did>>, Broken>> + Send;

    /// Begins a transaction in which no other program can make a store.
    fn begin_making(&mut self) -> impl Future<Output = Result<(), Broken>> + Send;

    /// Runs statements without parameters.
    fn script(&mut self, sql: &str) -> impl Future<Output = Result<(), Broken>> + Send;
}

/// Whether all conditions of a group held, and whether any of it was written; steps that were left out did
/// nothing. A group that was written only in part must not be committed.
pub fn applied(steps: &[Step], did: &[Did]) -> (bool, bool) {
    let rows = |at: usize| did.get(at).map_or(0, |did| did.rows);
    let held = |(at, step): (usize, &Step)| {
        at < did.len() && (matches!(step, Step::Adjust(_)) || rows(at) > 0)
    };
    let wrote = |(at, step): (usize, &Step)| !matches!(step, Step::Find(_)) && rows(at) > 0;
    (steps.iter().enumerate().all(held), steps.iter().enumerate().any(wrote))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_whole_only_where_every_condition_held() {
        let query = || Query::new("", |_| {});
        let steps = [Step::Find(query()), Step::Write(query()), Step::Adjust(query())];
        for (rows, gives) in [
            (&[1, 1, 0][..], (true, true)),
            (&[1, 1, 5], (true, true)),
            (&[1, 0], (false, false)),
            (&[0], (false, false)),
            (&[0, 1, 0], (false, true)),
            (&[1, 0, 1], (false, true)),
            (&[1, 1], (false, true)),
            (&[], (false, false)),
        ] {
            let did: Vec<_> = rows.iter().map(|rows| Did { rows: *rows, now_ms: None }).collect();
            assert_eq!(applied(&steps, &did), gives, "{rows:?}");
        }
    }
}
