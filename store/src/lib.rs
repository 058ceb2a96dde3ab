//! The store of leafid without a server: leases ranges of numbers and windows of time from SQLite,
//! PostgreSQL, MySQL, etcd or ZooKeeper, so that no two holders ever have the same.
//!
//! `opening → registry → fence → keyed → backends`: modules import only along the arrows.
//! [`leafid_core::registry`] makes every decision; [`registry`] reads the rows for it and writes the result;
//! [`fence`] notices a store that went back; [`backends`] keep the rows, and [`keyed`] has those that keep
//! them as keys and values. [`dispense`] makes single IDs from leases.
//!
//! A program that embeds a store does as `leafid serve` does: it opens the store, gives it a journal
//! ([`Registry::attend`](registry::Registry::attend)), and leases.
//!
//! ```
//! use std::sync::Arc;
//!
//! use leafid_core::{Name, SegmentAsk, Token};
//! use leafid_store::backends::opening::Options;
//! use leafid_store::clock::SystemClock;
//! use leafid_store::fence::Journal;
//! use leafid_store::opening::open_sqlite;
//! use leafid_store::store::TagChange;
//!
//! # fn main() -> Result<(), leafid_store::problem::Problem> {
//! # let folder = tempfile::tempdir().expect("a folder");
//! # let folder = folder.path();
//! let options = Options { create: true, ..Options::default() };
//! let store = open_sqlite(&folder.join("ids.db"), Arc::new(SystemClock), &options)?;
//! let journal = Journal::open(folder, store.id(), store.place(), false)?;
//! store.attend("host a".to_owned(), Some(journal))?;
//!
//! let orders = Name::tag("orders")?;
//! let ask = SegmentAsk::new(orders, Token::new(leafid_store::random::bytes()?));
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("one");
//! let grant = runtime.block_on(async {
//!     store.put_tag(orders, TagChange::default()).await?;
//!     store.lease_segment(ask).await
//! })?;
//! assert_eq!((grant.range.start, grant.range.len()), (1, 1_000));
//! # Ok(())
//! # }
//! ```

pub mod backends;
pub mod clock;
pub mod dispense;
pub mod fence;
pub mod keyed;
pub mod meter;
pub mod opening;
pub mod random;
pub mod rate;
pub mod registry;
pub mod store;
pub mod utc;

pub use leafid_turn::{hex, problem};
pub use leafid_wire as json;
