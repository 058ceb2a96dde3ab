//! Operators' requests: changes of tags, namespaces and worker numbers, and pages of lists.

use leafid_core::registry::{NamespaceSpec, TagSpec};
use leafid_core::{Layout, Name, Range, Refusal, StoreTime};
use leafid_wire::{FieldReader, FieldWriter, Fields};

/// The creation or change of a tag; absent fields stay, or take the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TagChange {
    /// The first number; only at creation.
    pub from: Option<u64>,
    /// Numbers of a lease by default.
    pub step: Option<u32>,
    /// Numbers of a lease at most.
    pub max_step: Option<u32>,
    /// The upper end: one more than the last number that may be granted; 2^63 - 1 takes it away.
    pub until: Option<u64>,
    /// Refuse (`TAG_EXISTS`) if the tag is there.
    pub only_create: bool,
    /// Refuse (`TAG_UNKNOWN`) if it is not.
    pub only_change: bool,
}

impl TagChange {
    /// Reads it from the body of a request.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    pub fn get(from: &mut impl FieldReader) -> Result<TagChange, Refusal> {
        let TagSpec { from, step, max_step, until } = TagSpec::get(from)?;
        Ok(TagChange { from, step, max_step, until, ..TagChange::default() })
    }

    /// The core's form of it.
    pub fn spec(&self) -> TagSpec {
        let TagChange { from, step, max_step, until, .. } = *self;
        TagSpec { from, step, max_step, until }
    }
}

/// The creation or change of a namespace; absent fields stay, or take the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamespaceChange {
    /// The layout: fixed from the first window on; by default `leaf`.
    pub layout: Option<Layout>,
    /// The worker numbers that may be handed out.
    pub workers: Option<Range>,
    /// The longest window, in ms: fixed from the first window on.
    pub max_window_ms: Option<u32>,
    /// Change nothing; refuse if the namespace is there and differs.
    pub only_create: bool,
}

impl NamespaceChange {
    /// Reads it from the body of a request.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, `LAYOUT_INVALID`.
    pub fn get(from: &mut impl FieldReader) -> Result<NamespaceChange, Refusal> {
        let NamespaceSpec { layout, workers, max_window_ms } = NamespaceSpec::get(from)?;
        Ok(NamespaceChange { layout, workers, max_window_ms, ..NamespaceChange::default() })
    }
}

/// A worker number that is, or was, used outside of leafid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aside {
    /// The owner that keeps the number, and is to hold it afterwards; empty if it is kept for none.
    pub owner: Name,
    /// The latest time that was, or will be, stamped with it outside; `None` while it is still in use there:
    /// then the number is not granted.
    pub until: Option<StoreTime>,
}

impl Aside {
    /// Reads it from the body of a request.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    pub fn get(from: &mut impl FieldReader) -> Result<Aside, Refusal> {
        let owner = from.text("owner", Name::owner)?.transpose()?.unwrap_or(Name::EMPTY);
        Ok(Aside { owner, until: from.millis("until_ms")?.map(StoreTime::new) })
    }

    /// Writes it as the body of a request.
    pub fn put(&self, to: &mut impl FieldWriter) {
        if !self.owner.is_empty() {
            to.text("owner", self.owner.as_str());
        }
        if let Some(until) = self.until {
            to.millis("until_ms", until.get());
        }
    }
}

/// A page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page<K> {
    /// The last key of the page before.
    pub after: Option<K>,
    /// How many rows at most.
    pub limit: u32,
}
