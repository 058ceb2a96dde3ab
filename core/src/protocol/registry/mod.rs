//! The store's side of the protocol, pure: a row and a request in, a new row and an answer out.
//!
//! So every store is small: read the row, decide here, write the new row on condition that it was
//! not written meanwhile (and, for windows, that the namespace's floor has not changed), and only
//! then answer. It needs a table of rows, and a database in which one write is atomic and durable.
//!
//! | verb | reads | writes |
//! |---|---|---|
//! | [`lease_segment`] | the tag's row | that row |
//! | [`acquire`] | the namespace, and up to four rows: [`Candidates`], as [`Search`] finds them | one row, or two ([`Acquired`]) |
//! | [`renew`] | the namespace, the number's row | the latter |
//! | [`release`] | the number's row | that row |
//! | [`TagRow::create`], [`TagRow::with`], [`TagRow::advance`] | the tag's row | that row |
//! | [`TagRow::raised`], [`WorkerRow::raised`], after a loss | every row that a journal knows | those below their bounds |
//!
//! A custom store with a map as its table:
//!
//! ```
//! use std::collections::BTreeMap;
//! use leafid_core::registry::{self, TagRow, TagSpec};
//! use leafid_core::{Code, Name, Refusal, SegmentAsk, SegmentGrant, StoreTime, Token};
//!
//! struct Tags {
//!     id: Token,
//!     rows: BTreeMap<Name, TagRow>,
//! }
//!
//! impl Tags {
//!     fn lease(&mut self, ask: &SegmentAsk, now: StoreTime) -> Result<SegmentGrant, Refusal<StoreTime>> {
//!         let row = self.rows.get_mut(&ask.tag).ok_or(Code::TagUnknown)?;
//!         let (after, answer) = registry::lease_segment(self.id, row, ask, now)?;
//!         *row = after; // a database: UPDATE … WHERE max_id = the one that was read
//!         answer
//!     }
//! }
//!
//! let tag = Name::tag("orders")?;
//! let spec = TagSpec { from: Some(5_000_001), step: Some(100), ..TagSpec::default() };
//! let row = TagRow::create(None, &spec)?;
//! let mut store = Tags { id: Token::new([1; 16]), rows: BTreeMap::from([(tag, row)]) };
//! let ask = SegmentAsk::new(tag, Token::new([2; 16]));
//! let grant = store.lease(&ask, StoreTime::new(1_800_000_000_000)).map_err(|no| no.code)?;
//! assert_eq!((grant.range.start, grant.range.end), (5_000_001, 5_000_101));
//! # Ok::<(), leafid_core::Refusal>(())
//! ```

mod fence;
mod namespace;
mod search;
mod segment;
mod tag;
mod window;
mod worker;

pub use fence::fence_time;
pub use namespace::{Namespace, NamespaceSpec, SHORTEST_WINDOW_MS};
pub use search::{Look, Search};
pub use segment::lease_segment;
pub use tag::{TagRow, TagSpec};
pub use window::{Acquired, Candidates, FIRST_WINDOW_MS, acquire, release, renew};
pub use worker::{Worker, WorkerRow};

use crate::values::{Code, Refusal, StoreTime, Token};

/// The answer to send once the row returned with it is durable: a grant, or the refusal of a caller
/// that has numbers or ticks which were never granted here, as the row then records.
pub type Answer<G> = Result<G, Refusal<StoreTime>>;

/// The default step of a tag.
pub const DEFAULT_STEP: u32 = 1_000;
/// The default `max_step` of a tag.
pub const DEFAULT_MAX_STEP: u32 = 1_000_000;
/// The largest allowed step: it fits a signed 32-bit column.
pub const STEP_CAP: u32 = i32::MAX as u32;
/// The default longest window of a namespace: ten minutes.
pub const DEFAULT_MAX_WINDOW_MS: u32 = 600_000;
/// The longest allowed window: a day.
pub const MAX_WINDOW_CAP_MS: u32 = 86_400_000;

fn same_store(store: Token, named: Option<Token>) -> Result<(), Refusal<StoreTime>> {
    match named {
        Some(named) if named != store => Err(Code::StoreChanged.into()),
        _ => Ok(()),
    }
}
