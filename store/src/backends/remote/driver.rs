//! What a client crate has to do for a database to be a back end, and what its statements did.

use std::future::Future;
use std::time::Duration;

use super::rows::Row;
use crate::backends::Standing;
use crate::backends::far::Client;
use crate::backends::link::Broken;
use leafid_turn::sql::{Query, Step, Texts};

/// How long an exchange may take: the database gives up before, so that it is known what was done.
pub const EXCHANGE: Duration = Duration::from_secs(4);
/// How long a statement waits for a row that another session has locked, in ms.
pub const LOCKED_MS: u32 = 2_000;
/// How long a statement may take, in ms.
pub const STATEMENT_MS: u32 = 3_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Did {
    pub rows: u64,
    pub now_ms: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It is one statement that stands for itself.
    Alone,
    /// It is committed, whatever the statements found.
    Committed,
    /// It stays open: what the statements found decides.
    Open,
}

/// A connection to a database.
///
/// # Errors
/// Every verb says how the exchange failed.
pub trait Driver: Client {
    /// For how many requests rows are looked for at once.
    const AT_ONCE: usize;
    /// So many queries are on their way together; an exchange has no more. One that has many, each
    /// sent when the one before is answered, would never end in time where the database is far away.
    const TOGETHER: usize;

    /// What it is asked in.
    fn texts(&self) -> Texts;

    /// What the database calls itself, and how far it has come, by a count that what takes its place under
    /// the same name goes on from; without its fence.
    fn named(&mut self) -> impl Future<Output = Result<Standing, Broken>> + Send;

    /// Reads, together where the protocol can.
    fn read(
        &mut self,
        asked: &[Query],
    ) -> impl Future<Output = Result<Vec<Vec<Row>>, Broken>> + Send;

    /// Writes groups in one transaction. What the steps of each did is in their order; of a group
    /// whose condition did not hold the rest may be left out.
    fn write(
        &mut self,
        groups: &[&[Step]],
        ending: Ending,
    ) -> impl Future<Output = Result<Vec<Vec<Did>>, Broken>> + Send;

    /// Commits a transaction that stayed open.
    fn commit(&mut self) -> impl Future<Output = Result<(), Broken>> + Send;

    /// Undoes a transaction that stayed open; does nothing without one.
    fn rollback(&mut self) -> impl Future<Output = Result<(), Broken>> + Send;

    /// Begins a transaction that nobody else's making of a store overlaps.
    fn begin_making(&mut self) -> impl Future<Output = Result<(), Broken>> + Send;

    /// Runs statements without parameters.
    fn script(&mut self, sql: &str) -> impl Future<Output = Result<(), Broken>> + Send;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    Whole,
    /// A part: the transaction must not be committed.
    Half,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_whole_only_where_every_condition_held() {
        let query = || Query::new("", |_| {});
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
