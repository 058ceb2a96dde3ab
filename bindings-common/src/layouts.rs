//! Layouts, read from `{ layout }`: the five fields, or a preset's name.

use leafid_core::{Code, Layout};

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
