//! Layouts and the parts of IDs. Each verb takes `{ layout }`: the five fields, or a preset's name.

use leafid_core::{Code, Layout, Parts, StoreTime};

use crate::source::{Source, Wrong, read_with};

/// An ID, written as `{ id }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(pub u64);

/// A layout, written with all figures that follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known(pub Layout);

/// Reads the layout of an object.
///
/// # Errors
/// `LAYOUT_INVALID`, also for an object without one; `REQUEST_INVALID`.
pub fn layout(from: impl Source) -> Result<Layout, Wrong> {
    read_with(from, "layout", |from| from.layout("layout")?.ok_or(Code::LayoutInvalid.into()))
}

/// The fields of a layout, and the figures that follow from them.
///
/// # Errors
/// As [`layout`].
pub fn facts(from: impl Source) -> Result<Known, Wrong> {
    layout(from).map(Known)
}

/// Makes an ID of a time, a worker and a sequence number.
///
/// # Errors
/// As [`layout`]; `TIME_OVERFLOW`, `WORKER_INVALID`, `RANGE_INVALID`.
pub fn compose(from: impl Source, ms: i64, worker: u32, sequence: u64) -> Result<Id, Wrong> {
    Ok(Id(layout(from)?.compose(StoreTime::new(ms), worker, sequence)?))
}

/// Splits an ID into its parts.
///
/// # Errors
/// As [`layout`]; `ID_INVALID`.
pub fn decompose(from: impl Source, id: u64) -> Result<Parts, Wrong> {
    Ok(layout(from)?.decompose(id)?)
}

/// The smallest ID of a time.
///
/// # Errors
/// As [`layout`]; `TIME_OVERFLOW`.
pub fn first_id(from: impl Source, ms: i64) -> Result<Id, Wrong> {
    Ok(Id(layout(from)?.first_id(StoreTime::new(ms))?))
}

/// The largest ID of a time.
///
/// # Errors
/// As [`layout`]; `TIME_OVERFLOW`.
pub fn last_id(from: impl Source, ms: i64) -> Result<Id, Wrong> {
    Ok(Id(layout(from)?.last_id(StoreTime::new(ms))?))
}
