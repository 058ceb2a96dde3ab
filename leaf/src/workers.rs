//! Takes over worker numbers from Leaf, so that leafid never stamps with a number that a Leaf still uses.
//!
//! A Leaf stamps with its own clock, under a number that it registered once. It writes the time to its
//! registry every 3 s, but goes on without it, so an old time there proves nothing. A number that a Leaf
//! may have is therefore set aside ([`Aside`](leafid_store::store::Aside)) until a person declares this
//! Leaf stopped. Then it begins above everything that the Leaf can have stamped, and its machine keeps it.
//!
//! A Leaf that starts later takes a number of its own. Where that is the next of a sequence, leafid leaves
//! it all numbers below a limit; where it may be any number, Leaf and leafid cannot run side by side.

pub mod files;
pub mod place;
pub mod plan;
pub mod start;
#[cfg(feature = "sql")]
mod table;
#[cfg(feature = "zookeeper")]
mod zookeeper;

use leafid_core::{Layout, StoreTime};
use leafid_store::opening::Place;
use leafid_store::problem::Problem;
use serde_json::Value;

use crate::invalid;

/// The layout of Leaf's IDs: ms since 2010-11-04, 41/10/12 bits.
pub const LAYOUT: Layout = Layout::LEAF;

/// A number that Leaf's registry knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The number.
    pub worker: u32,
    /// Its Leaf, as `ip:port`; `None` where a Leaf takes any number at its start.
    pub owner: Option<String>,
    /// The last time that its Leaf wrote, by that Leaf's clock, or why it cannot be read.
    pub stamped: Result<Option<StoreTime>, String>,
    /// When the Leaf wrote it, by the registry's clock, if the registry records that.
    pub seen: Option<StoreTime>,
    /// Where the entry is, for messages.
    pub place: String,
}

impl Node {
    /// The last time that its Leaf wrote, if it can be read.
    fn stamp(&self) -> Option<StoreTime> {
        self.stamped.as_ref().ok().copied().flatten()
    }

    /// When its Leaf wrote last: by the registry's clock if known, else by its own.
    fn wrote(&self) -> Option<StoreTime> {
        self.seen.or(self.stamp())
    }
}

/// How a Leaf that starts for the first time gets its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// It takes the next of a sequence: this number or a higher one.
    Next(u64),
    /// It takes any number that no Leaf uses.
    Any,
    /// It has an entry in a list, or does not start.
    Listed,
}

impl Growth {
    /// Raises the next number above those of the nodes.
    #[cfg(any(feature = "sql", feature = "zookeeper"))]
    fn beyond(self, nodes: &[Node]) -> Growth {
        let Growth::Next(next) = self else { return self };
        Growth::Next(nodes.iter().map(|node| u64::from(node.worker) + 1).fold(next, u64::max))
    }
}

/// The contents of Leaf's registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where the registry is, for messages.
    pub place: String,
    /// The time by the registry's clock.
    pub now: StoreTime,
    /// How a new Leaf gets its number.
    pub growth: Growth,
    /// The known numbers.
    pub nodes: Vec<Node>,
}

/// Reads Leaf's registry: its nodes in ZooKeeper, or its fork's table in MySQL.
///
/// # Errors
/// `STORE_UNAVAILABLE` where it does not answer, `REQUEST_INVALID` where no Leaf has been there or what is
/// there is not Leaf's.
pub async fn read(registry: &Place) -> Result<Found, Problem> {
    match registry {
        #[cfg(feature = "zookeeper")]
        Place::Zookeeper(address) => zookeeper::read(address).await,
        #[cfg(feature = "sql")]
        Place::Mysql(address) => table::read(address).await,
        other => Err(invalid(format!("{} is no registry of Leaf's", other.shown()))),
    }
}

/// Reads the time from a Leaf's JSON, or tells why it cannot be read.
fn time(data: &[u8], field: &str) -> Result<Option<StoreTime>, String> {
    let said: Value =
        serde_json::from_slice(data).map_err(|error| format!("its data is not JSON ({error})"))?;
    match said[field].as_i64().filter(|ms| *ms >= 0) {
        Some(ms) => Ok(Some(StoreTime::new(ms))),
        None => Err(format!("its data has no `{field}` in ms")),
    }
}

#[cfg(any(feature = "sql", feature = "zookeeper"))]
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

/// Waits for a registry's answer, or gives `away` if none comes in time.
#[cfg(any(feature = "sql", feature = "zookeeper"))]
async fn in_time<T, E>(
    away: impl Fn(&str) -> E,
    read: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let late = || away(&format!("no answer in {} s", PATIENCE.as_secs()));
    tokio::time::timeout(PATIENCE, read).await.unwrap_or_else(|_| Err(late()))
}
