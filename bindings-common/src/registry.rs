//! The store's side of the protocol: rows and asks in, rows and answers out.

use leafid_core::registry::{
    self, Acquired, Answer, Candidates, Namespace, TagRow, TagSpec, Worker, WorkerRow,
};
use leafid_core::{
    AcquireAsk, Code, Name, Range, Refusal, Release, RenewAsk, SegmentAsk, SegmentGrant, StoreTime,
    Token, WindowGrant,
};
use leafid_wire::{FieldReader, FieldWriter, Fields};

use crate::source::{Source, Wrong, read, read_with};

/// A new row, and the answer to send once it is durable: a grant, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leased<R, G> {
    /// The row.
    pub row: R,
    /// The answer.
    pub answer: Answer<G>,
}

/// A new row alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<R>(pub R);

/// Leases the next numbers of a tag.
///
/// # Errors
/// A field that cannot be read, and those of [`registry::lease_segment`].
pub fn lease_segment(
    store: &str,
    row: impl Source,
    ask: impl Source,
    now: StoreTime,
) -> Result<Leased<TagRow, SegmentGrant>, Wrong> {
    let (row, ask): (TagRow, SegmentAsk) = (read(row, "row")?, read(ask, "ask")?);
    let (row, answer) = registry::lease_segment(token(store)?, &row, &ask, now)?;
    Ok(Leased { row, answer })
}

/// Gives a worker number. `rows` may have `mine`, `own`, `spare` and `rested`, each with its `worker`.
///
/// # Errors
/// A field that cannot be read, and those of [`registry::acquire`].
pub fn acquire(
    store: &str,
    namespace: impl Source,
    rows: impl Source,
    ask: impl Source,
    now: StoreTime,
) -> Result<Acquired, Wrong> {
    let namespace: Namespace = read(namespace, "namespace")?;
    let candidates = read_with(rows, "candidates", candidates)?;
    let ask: AcquireAsk = read(ask, "ask")?;
    Ok(registry::acquire(token(store)?, &namespace, &candidates, &ask, now)?)
}

/// Moves the end of a window forward. The row has its `worker`, which is the ask's.
///
/// # Errors
/// A field that cannot be read, and those of [`registry::renew`].
pub fn renew(
    store: &str,
    namespace: impl Source,
    row: impl Source,
    ask: impl Source,
    now: StoreTime,
) -> Result<Leased<Worker, WindowGrant>, Wrong> {
    let namespace: Namespace = read(namespace, "namespace")?;
    let ask: RenewAsk = read(ask, "ask")?;
    let row = row_of_ask(ask.worker, read(row, "row")?)?;
    let (row, answer) = registry::renew(token(store)?, &namespace, &row, &ask, now)?;
    Ok(Leased { row: (ask.worker, row), answer })
}

/// Takes back the rest of a window. The row has its `worker`, which is the ask's.
///
/// # Errors
/// A field that cannot be read, and those of [`registry::release`].
pub fn release(store: &str, row: impl Source, ask: impl Source) -> Result<Row<Worker>, Wrong> {
    let ask: Release = read(ask, "ask")?;
    let row = row_of_ask(ask.worker, read(row, "row")?)?;
    Ok(Row((ask.worker, registry::release(token(store)?, &row, &ask)?)))
}

/// Makes the row of a new tag, or of one created again over its tombstone. `wanted` has `from`,
/// `step`, `max_step`, `until`, and `tag`, which is only checked.
///
/// # Errors
/// A field that cannot be read, and those of [`TagRow::create`].
pub fn tag_row<S: Source>(before: Option<S>, wanted: S) -> Result<Row<TagRow>, Wrong> {
    let before: Option<TagRow> = before.map(|row| read(row, "row before")).transpose()?;
    let spec = read_with(wanted, "tag", |from| {
        from.text("tag", Name::tag)?.transpose()?;
        TagSpec::get(from)
    })?;
    Ok(Row(TagRow::create(before.as_ref(), &spec)?))
}

/// Makes the row of a new namespace. `wanted` has `layout`, `workers`, `max_window_ms`, and
/// `namespace`, which is only checked.
///
/// # Errors
/// A field that cannot be read, a missing layout included, and those of [`Namespace::create`].
pub fn namespace_row(wanted: impl Source) -> Result<Row<Namespace>, Wrong> {
    let (layout, workers, max_window_ms) = read_with(wanted, "namespace", |from| {
        from.text("namespace", Name::namespace)?.transpose()?;
        let layout = from.layout("layout")?.ok_or(Refusal::new(Code::RequestInvalid))?;
        Ok((layout, from.nested("workers", Range::get)?, from.small("max_window_ms")?))
    })?;
    Ok(Row(Namespace::create(layout, workers, max_window_ms)?))
}

/// Checks that a row is of the worker number in an ask.
///
/// # Errors
/// `REQUEST_INVALID` for a row of another number.
pub fn row_of_ask(worker: u32, (number, row): Worker) -> Result<WorkerRow, Wrong> {
    let wrong = Wrong { refusal: Code::RequestInvalid.into(), field: "worker", of: "row" };
    if number == worker { Ok(row) } else { Err(wrong) }
}

fn token(text: &str) -> Result<Token, Wrong> {
    Token::parse(text).map_err(|refusal| Wrong { refusal, field: "store", of: "call" })
}

fn candidates(from: &mut impl FieldReader) -> Result<Candidates, Refusal> {
    Ok(Candidates {
        mine: from.nested("mine", Worker::get)?,
        own: [from.nested("own", Worker::get)?, from.nested("spare", Worker::get)?],
        rested: from.nested("rested", Worker::get)?,
    })
}

/// Writes `row`, `freed` (if another row is to be written, too) and `grant`.
pub(crate) fn put_acquired(acquired: &Acquired, to: &mut impl FieldWriter) {
    to.nested("row", |to| acquired.worker.put(to));
    if let Some(freed) = acquired.freed {
        to.nested("freed", |to| freed.put(to));
    }
    to.nested("grant", |to| acquired.grant.put(to));
}
