//! Layouts, and what IDs are made of. Each verb takes `{ layout }`: the five fields, or a preset's
//! name.

use leafid_core::{Code, Layout, Parts, StoreTime};

use crate::source::{Source, Wrong, read_with};

/// An ID by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(pub u64);

/// A layout, of which all that follows from it is told as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known(pub Layout);

/// The layout that an object names.
///
/// # Errors
/// `LAYOUT_INVALID`, also for an object without one; `REQUEST_INVALID`.
pub fn layout(from: impl Source) -> Result<Layout, Wrong> {
    read_with(from, "layout", |from| from.layout("layout")?.ok_or(Code::LayoutInvalid.into()))
}

/// The fields of a layout, and what follows from them.
///
/// # Errors
/// As [`layout`].
pub fn facts(from: impl Source) -> Result<Known, Wrong> {
    layout(from).map(Known)
}

/// The ID of a moment, a worker and a sequence number.
///
/// # Errors
/// As [`layout`]; `TIME_OVERFLOW`, `WORKER_INVALID`, `RANGE_INVALID`.
pub fn compose(from: impl Source, ms: i64, worker: u32, sequence: u64) -> Result<Id, Wrong> {
    Ok(Id(layout(from)?.compose(StoreTime::new(ms), worker, sequence)?))
}

/// The parts of an ID.
///
/// # Errors
/// As [`layout`]; `ID_INVALID`.
pub fn decompose(from: impl Source, id: u64) -> Result<Parts, Wrong> {
    Ok(layout(from)?.decompose(id)?)
}

/// The smallest ID that a moment can have.
///
/// # Errors
/// As [`layout`]; `TIME_OVERFLOW`.
pub fn first_id(from: impl Source, ms: i64) -> Result<Id, Wrong> {
    Ok(Id(layout(from)?.first_id(StoreTime::new(ms))?))
}

/// The largest ID that a moment can have.
///
/// # Errors
/// As [`layout`]; `TIME_OVERFLOW`.
pub fn last_id(from: impl Source, ms: i64) -> Result<Id, Wrong> {
    Ok(Id(layout(from)?.last_id(StoreTime::new(ms))?))
}
