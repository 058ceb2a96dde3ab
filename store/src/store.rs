//! What the routes call. Every decision is the core's (`leafid_core::registry`), and is made in one
//! place: by the [`Registry`](crate::registry::Registry), over any back end.

pub mod watched;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use leafid_core::registry::{Namespace, NamespaceSpec, TagRow, TagSpec, Worker, WorkerRow};
use leafid_core::{
    AcquireAsk, FieldReader, FieldWriter, Fields, Layout, Name, Range, Refusal, Release, RenewAsk,
    SegmentAsk, SegmentGrant, StoreTime, Token, WindowGrant,
};

use crate::meter::turns::Turns;
use crate::problem::Problem;

/// An answer that comes when it is durable.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Problem>> + Send + 'a>>;

/// A store that many requests share.
pub type SharedStore = Arc<dyn Store>;

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

/// What is known of a store's inside.
#[derive(Clone, Debug)]
pub struct Inside {
    /// What its thread has counted.
    pub turns: Arc<Turns>,
    /// Requests that its thread has not taken in yet.
    pub arriving: u64,
    /// How far its database had come, by its own count, when that was looked at last; 0 where it has
    /// none.
    pub position: u64,
    /// Its journal, where one is kept.
    pub journal: Option<JournalSight>,
}

/// The state of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalSight {
    /// Whether the last writing did not fail.
    pub written: bool,
    /// Since when the store has one there, by the server's clock.
    pub since: StoreTime,
    /// Whether it lies on another disk than the store.
    pub apart: bool,
}

/// A part of a list: what comes after a key, and how many at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page<K> {
    /// The key that the last part ended with.
    pub after: Option<K>,
    /// How many rows at most.
    pub limit: u32,
}

/// Hands out disjoint ranges, durable before they are answered.
///
/// # Errors
/// Every verb gives the codes of its decision in the core, `TAG_UNKNOWN` or `NAMESPACE_UNKNOWN`
/// without a row, `WORKER_INVALID` for a number outside the layout, and `STORE_UNAVAILABLE` or
/// `OVERLOADED` when there is no answer to be had now.
pub trait Store: Send + Sync + 'static {
    /// The random id that was made with the store.
    fn id(&self) -> Token;
    /// Where it lies, for a person.
    fn place(&self) -> String;
    /// The store's time; fails when the store cannot be used.
    fn now(&self) -> Answer<'_, StoreTime>;

    /// The store's time, when something could be written a moment ago, or can be now; fails when
    /// nothing can be granted.
    fn ready(&self) -> Answer<'_, StoreTime>;
    /// Looks whether the store is still the one that was opened; called each second. Where it is
    /// not, nothing is granted from then on.
    fn watch(&self);

    /// How often it was fenced, as far as is known.
    fn generation(&self) -> u64;
    /// Before when no window begins, by its last fence, as far as is known; 0 where there was none.
    fn floor(&self) -> StoreTime;
    /// What is known of its inside; nothing before it is open.
    fn inside(&self) -> Option<Inside>;
    /// Refuses what is asked from now on, and answers when what was asked before is done.
    fn close(&self) -> Answer<'_, ()> {
        Box::pin(async { Ok(()) })
    }
    /// Looks, before the next request is answered, whether another server or an operator has fenced
    /// it.
    fn look_again(&self);

    /// The next numbers of a tag.
    fn lease_segment(&self, ask: SegmentAsk) -> Answer<'_, SegmentGrant>;
    /// A worker number and a first window.
    fn acquire(&self, ask: AcquireAsk) -> Answer<'_, WindowGrant>;
    /// A later end of a window.
    fn renew(&self, ask: RenewAsk) -> Answer<'_, WindowGrant>;
    /// Takes back what of a window was not used.
    fn release(&self, release: Release) -> Answer<'_, ()>;
    /// An operator's release: nobody holds or keeps the number from now on; its window runs out.
    fn revoke(&self, namespace: Name, worker: u32) -> Answer<'_, ()>;
    /// Sets a number aside for what uses it outside of leafid, or takes it over from there.
    fn set_aside(&self, namespace: Name, worker: u32, aside: Aside) -> Answer<'_, WorkerRow>;

    /// The row of a tag that is not deleted.
    fn tag(&self, tag: Name) -> Answer<'_, TagRow>;
    /// Tags that are not deleted, by name.
    fn tags(&self, page: Page<Name>) -> Answer<'_, Vec<(Name, TagRow)>>;
    /// Creates or changes a tag.
    fn put_tag(&self, tag: Name, change: TagChange) -> Answer<'_, TagRow>;
    /// Moves the position of a tag to `to`, and never down.
    fn advance_tag(&self, tag: Name, to: u64) -> Answer<'_, TagRow>;
    /// Deletes a tag; a tombstone keeps its position.
    fn delete_tag(&self, tag: Name) -> Answer<'_, ()>;

    /// The row of a namespace.
    fn namespace(&self, namespace: Name) -> Answer<'_, Namespace>;
    /// Namespaces, by name.
    fn namespaces(&self, page: Page<Name>) -> Answer<'_, Vec<(Name, Namespace)>>;
    /// Creates or changes a namespace.
    fn put_namespace(&self, namespace: Name, change: NamespaceChange) -> Answer<'_, Namespace>;
    /// The numbers of a namespace that were ever handed out.
    fn workers(&self, namespace: Name, page: Page<u32>) -> Answer<'_, Vec<Worker>>;
}
