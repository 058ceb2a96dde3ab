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
    /// Whose it is: `ip:port`. `None` where a Leaf takes any number at its start.
    pub owner: Option<String>,
    /// The last time that it wrote down, by its own clock, or why that cannot be read.
    pub stamped: Result<Option<StoreTime>, String>,
    /// When it wrote that, by the registry's clock, where the registry says.
    pub seen: Option<StoreTime>,
    /// Where it stands, for a person.
    pub place: String,
}

impl Node {
    /// The last time that it wrote down, where it can be read.
    fn stamp(&self) -> Option<StoreTime> {
        self.stamped.as_ref().ok().copied().flatten()
    }

    /// When it wrote last, by the registry's clock if that says.
    fn wrote(&self) -> Option<StoreTime> {
        self.seen.or(self.stamp())
    }
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

impl Growth {
    /// The same, and above the numbers that are there.
    #[cfg(any(feature = "sql", feature = "zookeeper"))]
    fn beyond(self, nodes: &[Node]) -> Growth {
        let Growth::Next(next) = self else { return self };
        Growth::Next(nodes.iter().map(|node| u64::from(node.worker) + 1).fold(next, u64::max))
    }
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

/// Reads the registry that lies there: Leaf's nodes in ZooKeeper, or its fork's table in MySQL.
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

/// The time in what a Leaf wrote, or why it cannot be read.
fn time(data: &[u8], field: &str) -> Result<Option<StoreTime>, String> {
    let said: Value =
        serde_json::from_slice(data).map_err(|error| format!("its data is not JSON ({error})"))?;
    match said[field].as_i64().filter(|ms| *ms >= 0) {
        Some(ms) => Ok(Some(StoreTime::new(ms))),
        None => Err(format!("its data has no `{field}` in ms")),
    }
}

/// How long a look at a registry may take.
#[cfg(any(feature = "sql", feature = "zookeeper"))]
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

/// What a registry holds, or `away` where it does not answer in time.
#[cfg(any(feature = "sql", feature = "zookeeper"))]
async fn in_time<T, E>(
    away: impl Fn(&str) -> E,
    read: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let late = || away(&format!("no answer in {} s", PATIENCE.as_secs()));
    tokio::time::timeout(PATIENCE, read).await.unwrap_or_else(|_| Err(late()))
}
