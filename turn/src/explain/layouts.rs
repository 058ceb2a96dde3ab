//! Messages about layouts.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use leafid_core::{Code, Layout, Name};

use crate::problem::Problem;

/// A declared layout that is not the namespace's.
pub fn layout_mismatch(name: &Name, layout: &Layout, said: Option<Layout>) -> Problem {
    let said = said.map_or_else(|| "another".to_owned(), |said| words(&said));
    let detail = format!(
        "namespace `{name}` has layout {}, the caller {said}; use its own, or another namespace",
        words(layout)
    );
    Problem::new(Code::LayoutMismatch, detail)
}

/// A change of a layout after the first window.
pub fn layout_is_fixed(name: &Name, before: &Layout, after: &Layout) -> Problem {
    let detail = format!(
        "namespace `{name}` has layout {}, which cannot become {} after its first window; create \
         another namespace",
        words(before),
        words(after)
    );
    Problem::new(Code::LayoutMismatch, detail)
}

/// A short form of a layout.
pub fn words(layout: &Layout) -> String {
    format!(
        "{}/{}/{} of {} ms since {}",
        layout.time_bits(),
        layout.worker_bits(),
        layout.sequence_bits(),
        layout.tick_ms(),
        layout.epoch_ms()
    )
}
