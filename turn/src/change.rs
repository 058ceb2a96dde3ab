//! What an operator asks of a store: how tags, namespaces and worker numbers are to be, and lists.

use leafid_core::registry::{NamespaceSpec, TagSpec};
use leafid_core::{Layout, Name, Range, Refusal, StoreTime};
use leafid_wire::{FieldReader, FieldWriter, Fields};

/// How a tag is created or changed; what is not said stays, or is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TagChange {
    /// The first number; only at creation.
    pub from: Option<u64>,
    /// How many numbers a lease takes unless it says.
    pub step: Option<u32>,
    /// How many a lease takes at most.
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

    /// What the tag is to be.
    pub fn spec(&self) -> TagSpec {
        let TagChange { from, step, max_step, until, .. } = *self;
        TagSpec { from, step, max_step, until }
    }
}

/// How a namespace is created or changed; what is not said stays, or is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamespaceChange {
    /// The layout: cannot change after the first window; `leaf` if a new namespace does not say.
    pub layout: Option<Layout>,
    /// The worker numbers that may be handed out.
    pub workers: Option<Range>,
    /// The longest window, in ms: cannot change after the first window.
    pub max_window_ms: Option<u32>,
    /// Change nothing that is there, and refuse if it is not as said.
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
    /// Who is to have the number afterwards, and keeps it until then; empty for anybody.
    pub owner: Name,
    /// Nothing outside stamped a later time than this with it, nor will; `None` while that may be,
    /// and then nobody is granted the number.
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

/// A part of a list: what comes after a key, and how many at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page<K> {
    /// The key that the last part ended with.
    pub after: Option<K>,
    /// How many rows at most.
    pub limit: u32,
}
