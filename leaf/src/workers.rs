//! Leaf's worker numbers, and the way over from Leaf.
//!
//! A Leaf stamps with its own clock, under a number that it registered once, and asks nobody again: its
//! registry is told the time every 3 s and is not needed to go on. So a stamp that is old proves
//! nothing, and a number that any Leaf may have is granted to nobody ([`Aside`](leafid_store::store::Aside))
//! until a person says that this Leaf has stopped. Then the number rests above everything that it can
//! have stamped, and its machine keeps it.
//!
//! A Leaf that starts later takes a number of its own choice. Where it would be the next one, leafid
//! stays away from all numbers below a line; where it may be any, there is no side by side.

pub mod files;
pub mod import;
pub mod modes;
pub mod plan;
pub mod start;
#[cfg(feature = "sql")]
pub mod table;
#[cfg(feature = "zookeeper")]
pub mod zookeeper;

use leafid_core::{Layout, StoreTime};
use serde_json::Value;

#[cfg(not(feature = "sql"))]
pub use leafid_store::absent::mysql as table;
#[cfg(not(feature = "zookeeper"))]
pub use leafid_store::absent::zookeeper;

/// The layout of Leaf's IDs: ms since 2010-11-04, 41/10/12 bits.
pub const LAYOUT: Layout = Layout::LEAF;

/// A number that Leaf's registry knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The number.
    pub worker: u32,
    /// Whose it is: `ip:port`. `None` where a Leaf takes any number at its start.
    pub owner: Option<String>,
    /// The last time that it wrote down, by its own clock.
    pub stamped: Option<StoreTime>,
    /// When it wrote that, by the registry's clock, where the registry says.
    pub seen: Option<StoreTime>,
    /// Why its time cannot be read.
    pub unreadable: Option<String>,
    /// Where it stands, for a person.
    pub place: String,
}

/// How a Leaf that starts for the first time gets its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// The next of a sequence, which is this one or higher.
    Next(u64),
    /// Any that no Leaf uses.
    Any,
    /// By a list; without an entry it does not start.
    Listed,
}

/// What Leaf's registry holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where, for a person.
    pub place: String,
    /// The registry's clock.
    pub now: StoreTime,
    /// How new numbers come about.
    pub growth: Growth,
    /// The numbers.
    pub nodes: Vec<Node>,
}

/// The time in what a Leaf wrote, or why it cannot be read.
fn time(data: &[u8], field: &str) -> (Option<StoreTime>, Option<String>) {
    let said: Value = match serde_json::from_slice(data) {
        Ok(said) => said,
        Err(error) => return (None, Some(format!("its data is not JSON ({error})"))),
    };
    match said[field].as_i64().filter(|ms| *ms >= 0) {
        Some(ms) => (Some(StoreTime::new(ms)), None),
        None => (None, Some(format!("its data has no `{field}` in ms"))),
    }
}
