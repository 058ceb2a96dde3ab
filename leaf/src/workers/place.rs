//! Finds Leaf's worker numbers by the `leaf.snowflake.*` keys of a `leaf.properties`, and this machine's
//! among them.

use std::net::UdpSocket;
use std::path::PathBuf;
use std::time::Duration;

use leafid_core::StoreTime;
use leafid_store::json::shown;
use leafid_store::opening::{self, built};
use leafid_store::problem::Problem;
use serde_json::{Map, Value};

use super::{Found, Growth, files, read};
use crate::config::{Keys, LIST};
use crate::invalid;

/// The time-out for a packet to this machine itself, which arrives at once unless it is very busy.
const ARRIVES: Duration = Duration::from_secs(5);

/// The kinds of registries that hold Leaf's numbers.
#[derive(Clone, Debug)]
pub enum Source {
    /// In ZooKeeper, where each Leaf keeps its number: `zk_normal`.
    Tree(opening::Place),
    /// In ZooKeeper, where a Leaf that starts takes any number: `zk_recycle`.
    Pool(opening::Place),
    /// In a table: `mysql`.
    Table(opening::Place),
    /// In the file itself: `local`.
    List(Map<String, Value>),
}

/// Where Leaf's numbers are, and which is this machine's.
#[derive(Clone, Debug)]
pub struct Place {
    /// The registry of the numbers.
    pub source: Source,
    /// `leaf.snowflake.port`, which tells the Leafs of one machine apart; nothing listens there.
    port: u16,
    /// Where a Leaf of this machine in mode `local` keeps its number and its time.
    cache: PathBuf,
}

impl Place {
    /// Reads the place from the keys of a file with snowflake mode on; `database` is leafid's URL of the
    /// file's database, if it names one.
    ///
    /// # Errors
    /// `REQUEST_INVALID` with the key that is missing or wrong, and what it takes.
    pub(crate) fn of(keys: &Keys, database: Option<&str>) -> Result<Place, Problem> {
        let name = keys.text("leaf.name")?.ok_or_else(|| {
            invalid(
                "leaf.name is not set, and names the machines of the snowflake mode; set it, or \
                 leaf.snowflake.enable=false",
            )
        })?;
        let port = keys.port("leaf.snowflake.port")?.ok_or_else(|| {
            invalid(
                "leaf.snowflake.port is not set or empty, as in the file that Leaf's fork brings, and a \
                 Leaf does not start with it; set it to the number that this machine's Leaf had, or \
                 leaf.snowflake.enable=false",
            )
        })?;
        let source = match keys.text("leaf.snowflake.mode")?.unwrap_or("zk_normal") {
            "zk_normal" => Source::Tree(tree(keys, name)?),
            "zk_recycle" => Source::Pool(tree(keys, name)?),
            "mysql" => {
                let takes = "the database that has the table leaf_workerid_alloc, and is read with \
                             leaf.segment.enable=true";
                let place = database.and_then(opening::Place::parse);
                let place = place.unwrap_or_else(|| Err(wrong("leaf.jdbc.url", "", takes)));
                Source::Table(place?)
            }
            "local" => {
                let list = keys.text(LIST)?.unwrap_or_default();
                let takes = "every Leaf with its number, as in {\"192.0.2.2:8080\":3}";
                Source::List(serde_json::from_str(list).map_err(|_| wrong(LIST, list, takes))?)
            }
            mode => {
                let takes = "one of zk_normal, zk_recycle, mysql and local";
                return Err(wrong("leaf.snowflake.mode", mode, takes));
            }
        };
        // Java's `java.io.tmpdir` ignores TMPDIR.
        let temporary = if cfg!(unix) { PathBuf::from("/tmp") } else { std::env::temp_dir() };
        let cache = temporary.join(format!("{name}/leafconf/{port}/workerID.json"));
        Ok(Place { source, port, cache })
    }

    /// Reads the numbers.
    ///
    /// # Errors
    /// Those of the reader for each kind of registry.
    pub async fn read(&self, now: StoreTime) -> Result<Found, Problem> {
        match &self.source {
            Source::Tree(place) | Source::Table(place) => read(place).await,
            // ZooKeeper may have nodes only of Leafs that ran in another mode.
            Source::Pool(place) => Ok(Found { growth: Growth::Any, ..read(place).await? }),
            Source::List(list) => {
                let mut nodes = files::listed(list, LIST)?;
                // As for Leaf, the file of this machine's Leaf overrides the list.
                if self.cache.exists() {
                    let written = files::read(&self.cache, None, now)?.nodes;
                    nodes.retain(|node| written.iter().all(|other| other.owner != node.owner));
                    nodes.extend(written);
                }
                Ok(Found { place: LIST.to_owned(), now, growth: Growth::Listed, nodes })
            }
        }
    }

    /// Finds this machine's Leaf among these `ip:port`: the file's port at an address of this machine.
    pub fn own<'o>(&self, mut owners: impl Iterator<Item = &'o str>) -> Option<&'o str> {
        owners.find(|owner| {
            owner
                .rsplit_once(':')
                .is_some_and(|(ip, port)| port.parse() == Ok(self.port) && is_here(ip))
        })
    }

    /// The option that names these numbers to `leafid worker import`.
    pub fn option(&self) -> String {
        match &self.source {
            Source::Tree(place) | Source::Pool(place) => {
                format!("--leaf-zookeeper {}", place.shown())
            }
            Source::Table(place) => format!("--leaf-table {}", place.shown()),
            Source::List(_) if self.cache.exists() => {
                format!("--leaf-local {}", self.cache.display())
            }
            Source::List(_) => "--leaf-local leaf.properties".to_owned(),
        }
    }
}

/// The numbers' place in ZooKeeper.
fn tree(keys: &Keys, name: &str) -> Result<opening::Place, Problem> {
    built("zk")?;
    const KEY: &str = "leaf.snowflake.zk.address";
    let hosts = match keys.text(KEY)? {
        None => keys.text("leaf.snowflake.address")?.unwrap_or_default(),
        Some(hosts) => hosts,
    };
    let wrong = || wrong(KEY, hosts, "ZooKeeper's servers, as in 10.0.0.1:2181,10.0.0.2:2181");
    if hosts.is_empty() {
        return Err(wrong());
    }
    let url = format!("zk://{}/snowflake/{name}", hosts.replace(' ', ""));
    opening::Place::parse(&url).and_then(Result::ok).ok_or_else(wrong)
}

fn wrong(key: &str, value: &str, takes: &str) -> Problem {
    let is = match value.is_empty() {
        true => "is empty or missing".to_owned(),
        false => format!("is `{}`", shown(value)),
    };
    invalid(format!("`{key}` {is}; it takes {takes}"))
}

/// Whether an address is this machine's, by sending a packet to it. Binding to it proves nothing: with
/// `ip_nonlocal_bind` any address can be bound.
fn is_here(ip: &str) -> bool {
    let arrives = || {
        let socket = UdpSocket::bind((ip, 0))?;
        socket.connect(socket.local_addr()?)?;
        socket.set_read_timeout(Some(ARRIVES))?;
        // If the address is another machine's, the packet goes no further than the first hop.
        socket.set_ttl(1)?;
        socket.send(b"leafid")?;
        let mut heard = [0; 8];
        socket.recv(&mut heard)
    };
    arrives().is_ok()
}

#[cfg(all(feature = "sql", feature = "zookeeper"))]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::LeafConfig;

    fn place(more: &str) -> Result<Place, Problem> {
        let text = format!(
            "leaf.name=com.example.leaf\nleaf.segment.enable=false\nleaf.snowflake.enable=true\n\
             leaf.snowflake.port=8080\nleaf.snowflake.zk.address=10.0.0.1:2181,10.0.0.2\n{more}"
        );
        Ok(LeafConfig::parse(text.as_bytes(), |_| ())?.workers.unwrap())
    }

    fn read(place: &Place) -> Found {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(place.read(StoreTime::new(1))).unwrap()
    }

    #[test]
    fn each_mode_says_where_its_numbers_are() {
        for mode in ["", "leaf.snowflake.mode=zk_normal", "leaf.snowflake.mode=zk_recycle"] {
            let place = place(mode).unwrap();
            let address = match (place.source, mode.ends_with("zk_recycle")) {
                (Source::Tree(place), false) | (Source::Pool(place), true) => place.shown(),
                other => panic!("{mode}: {other:?}"),
            };
            let all = "zk://10.0.0.1:2181,10.0.0.2:2181/snowflake/com.example.leaf";
            assert_eq!(address, all);
        }
        let jdbc =
            "leaf.segment.enable=true\nleaf.jdbc.url=jdbc:mysql://h/leaf\nleaf.jdbc.username=u\n";
        let table = place(&format!("{jdbc}leaf.snowflake.mode=mysql")).unwrap();
        assert!(matches!(table.source, Source::Table(_)));
        let list = "leaf.snowflake.mode=local\n\
                    leaf.snowflake.local.workIdMap={\"127.0.0.1:8080\":3,\"192.0.2.2:8080\":4}";
        let place = place(list).unwrap();
        let found = read(&place);
        assert_eq!((found.nodes.len(), found.growth), (2, Growth::Listed));
        let own = |place: &Place| {
            let owners = found.nodes.iter().filter_map(|node| node.owner.as_deref());
            place.own(owners).map(str::to_owned)
        };
        assert_eq!(
            own(&place).as_deref(),
            Some("127.0.0.1:8080"),
            "the other is no address of ours"
        );
        assert_eq!(own(&Place { port: 8081, ..place.clone() }), None);
        assert!(place.cache.ends_with("com.example.leaf/leafconf/8080/workerID.json"));
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("workerID.json");
        let text = r#"{"ip":"127.0.0.1","port":"8080","workId":9,"timestamp":1795247810346}"#;
        std::fs::write(&cache, text).unwrap();
        let found = read(&Place { cache, ..place });
        let numbers: Vec<u32> = found.nodes.iter().map(|node| node.worker).collect();
        assert_eq!(numbers, [4, 9], "a Leaf goes on with the number of its file");
        assert!(found.nodes[1].stamp().is_some(), "and whether it runs shows");
    }

    #[test]
    fn an_address_is_ours_if_what_it_is_sent_arrives() {
        for (ip, here) in
            [("127.0.0.1", true), ("127.0.0.9", true), ("192.0.2.1", false), ("x y", false)]
        {
            assert_eq!(is_here(ip), here, "{ip}");
        }
    }

    #[test]
    fn what_leaf_does_not_start_with_is_said_by_its_key() {
        for (more, key, says) in [
            ("leaf.snowflake.zk.address=", "leaf.snowflake.zk.address", "is empty or missing"),
            ("leaf.snowflake.zk.address=a b:x", "leaf.snowflake.zk.address", "`a b:x`"),
            ("leaf.snowflake.mode=mysql", "leaf.jdbc.url", "is empty or missing"),
            ("leaf.snowflake.mode=local", "leaf.snowflake.local.workIdMap", "is empty or missing"),
            ("leaf.snowflake.mode=etcd", "leaf.snowflake.mode", "zk_normal"),
        ] {
            let said = place(more).unwrap_err().detail;
            assert!(said.contains(key) && said.contains(says), "{more}: {said}");
        }
    }
}
