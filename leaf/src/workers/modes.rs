//! What `leaf.snowflake.*` of a `leaf.properties` means: where Leaf's numbers are, and which of them is
//! this machine's.

use std::net::UdpSocket;
use std::path::PathBuf;
use std::time::Duration;

use leafid_core::{Code, StoreTime};
use leafid_store::absent::built;
use leafid_store::backends::mysql;
use leafid_store::json::shown;
use leafid_store::keyed::zookeeper as zk;
use leafid_store::problem::Problem;
use serde_json::{Map, Value};

use super::{Found, Growth, files, table, zookeeper};
use crate::config::{LeafConfig, SnowflakeSettings};

/// What a machine sends to itself is there at once, unless it is very busy.
const ARRIVES: Duration = Duration::from_secs(5);

/// Where Leaf's numbers are.
#[derive(Clone, Debug)]
pub enum Source {
    /// In ZooKeeper, where each Leaf keeps its number: `zk_normal`.
    Tree(zk::Address),
    /// In ZooKeeper, where a Leaf that starts takes any number: `zk_recycle`.
    Pool(zk::Address),
    /// In a table: `mysql`.
    Table(mysql::Address),
    /// In the file itself: `local`.
    List(Map<String, Value>),
}

/// Leaf's numbers, and whose of them a server that stands in for a Leaf has.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where the numbers are.
    pub source: Source,
    /// `leaf.snowflake.port`, which tells the Leafs of a machine apart.
    pub port: u16,
    /// Where a Leaf of this machine in mode `local` keeps its number and its time.
    pub cache: PathBuf,
}

impl Place {
    /// What a file means, if its snowflake mode is on.
    ///
    /// # Errors
    /// `REQUEST_INVALID` with the key that is missing or wrong, and what it takes.
    pub fn of(config: &LeafConfig) -> Result<Option<Place>, Problem> {
        let Some(snowflake) = &config.snowflake else { return Ok(None) };
        let port = snowflake.port;
        // Java's `java.io.tmpdir` does not heed TMPDIR.
        let temporary = if cfg!(unix) { PathBuf::from("/tmp") } else { std::env::temp_dir() };
        let cache = format!("{}/leafconf/{port}/workerID.json", config.name);
        Ok(Some(Place { source: source(config, snowflake)?, port, cache: temporary.join(cache) }))
    }
}

fn source(config: &LeafConfig, snowflake: &SnowflakeSettings) -> Result<Source, Problem> {
    match snowflake.mode.as_deref().unwrap_or("zk_normal") {
        mode @ ("zk_normal" | "zk_recycle") => {
            built("zk")?;
            const KEY: &str = "leaf.snowflake.zk.address";
            const TAKES: &str = "ZooKeeper's servers, as in 10.0.0.1:2181,10.0.0.2:2181";
            let hosts = snowflake.zk_address.as_deref().unwrap_or("");
            if hosts.is_empty() {
                return Err(wrong(KEY, "", TAKES));
            }
            let url = format!("zk://{}/snowflake/{}", hosts.replace(' ', ""), config.name);
            let source = if mode == "zk_recycle" { Source::Pool } else { Source::Tree };
            zk::Address::parse(&url).map(source).map_err(|_| wrong(KEY, hosts, TAKES))
        }
        "mysql" => match &config.segment {
            Some(segment) => mysql::Address::parse(&segment.url).map(Source::Table),
            None => Err(wrong(
                "leaf.jdbc.url",
                "",
                "the database that has the table leaf_workerid_alloc, and is read with \
                 leaf.segment.enable=true",
            )),
        },
        "local" => {
            let list = snowflake.local_map.as_deref().unwrap_or("");
            serde_json::from_str(list).map(Source::List).map_err(|_| {
                wrong(
                    "leaf.snowflake.local.workIdMap",
                    list,
                    "every Leaf with its number, as in {\"192.0.2.2:8080\":3}",
                )
            })
        }
        mode => {
            Err(wrong("leaf.snowflake.mode", mode, "one of zk_normal, zk_recycle, mysql and local"))
        }
    }
}

fn wrong(key: &str, value: &str, takes: &str) -> Problem {
    let is = match value.is_empty() {
        true => "is empty or missing".to_owned(),
        false => format!("is `{}`", shown(value)),
    };
    Problem::new(Code::RequestInvalid, format!("`{key}` {is}; it takes {takes}"))
}

impl Place {
    /// Reads the numbers.
    ///
    /// # Errors
    /// As the reading of each kind.
    pub fn read(&self, now: StoreTime) -> Result<Found, Problem> {
        match &self.source {
            Source::Tree(address) => zookeeper::read(address),
            // Leafs that ran in another mode may be all that ZooKeeper has seen.
            Source::Pool(address) => Ok(Found { growth: Growth::Any, ..zookeeper::read(address)? }),
            Source::Table(address) => table::read(address),
            Source::List(list) => {
                let place = "leaf.snowflake.local.workIdMap";
                let mut nodes = files::listed(list, place)
                    .map_err(|detail| Problem::new(Code::RequestInvalid, detail))?;
                // What a Leaf of this machine wrote there counts more than the list, for Leaf, too.
                if self.cache.exists() {
                    let written = files::read(&self.cache, None, now)?.nodes;
                    nodes.retain(|node| written.iter().all(|other| other.owner != node.owner));
                    nodes.extend(written);
                }
                Ok(Found { place: place.to_owned(), now, growth: Growth::Listed, nodes })
            }
        }
    }

    /// Of these `ip:port` the one of this machine: the port is the file's, and the address one of this
    /// machine's.
    pub fn own<'o>(&self, mut owners: impl Iterator<Item = &'o str>) -> Option<&'o str> {
        owners.find(|owner| {
            owner
                .rsplit_once(':')
                .is_some_and(|(ip, port)| port.parse() == Ok(self.port) && is_here(ip))
        })
    }

    /// How the numbers are named to `leafid worker import`.
    pub fn option(&self) -> String {
        match &self.source {
            Source::Tree(address) | Source::Pool(address) => {
                format!("--leaf-zookeeper {}", address.place)
            }
            Source::Table(address) => format!("--leaf-table {}", address.place),
            Source::List(_) if self.cache.exists() => {
                format!("--leaf-local {}", self.cache.display())
            }
            Source::List(_) => "--leaf-local leaf.properties".to_owned(),
        }
    }
}

/// Whether an address is this machine's: what it is sent arrives. That it can be bound to is not enough, for
/// with `ip_nonlocal_bind` any address can.
fn is_here(ip: &str) -> bool {
    let arrives = || {
        let socket = UdpSocket::bind((ip, 0))?;
        socket.connect(socket.local_addr()?)?;
        socket.set_read_timeout(Some(ARRIVES))?;
        // On the way to another machine it goes no further than the next one.
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
    use crate::properties;

    fn config(more: &str) -> LeafConfig {
        let text = format!(
            "leaf.name=com.example.leaf\nleaf.segment.enable=false\nleaf.snowflake.enable=true\n\
             leaf.snowflake.port=8080\nleaf.snowflake.zk.address=10.0.0.1:2181,10.0.0.2\n{more}"
        );
        LeafConfig::of(&properties::parse(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn each_mode_says_where_its_numbers_are() {
        for mode in ["", "leaf.snowflake.mode=zk_normal", "leaf.snowflake.mode=zk_recycle"] {
            let place = Place::of(&config(mode)).unwrap().unwrap();
            let address = match (place.source, mode.ends_with("zk_recycle")) {
                (Source::Tree(address), false) | (Source::Pool(address), true) => address,
                other => panic!("{mode}: {other:?}"),
            };
            assert_eq!(address.path, "/snowflake/com.example.leaf");
            assert_eq!(address.hosts, "10.0.0.1:2181,10.0.0.2:2181");
        }
        let jdbc =
            "leaf.segment.enable=true\nleaf.jdbc.url=jdbc:mysql://h/leaf\nleaf.jdbc.username=u\n";
        let table =
            Place::of(&config(&format!("{jdbc}leaf.snowflake.mode=mysql"))).unwrap().unwrap();
        assert!(matches!(table.source, Source::Table(_)));
        let list = "leaf.snowflake.mode=local\n\
                    leaf.snowflake.local.workIdMap={\"127.0.0.1:8080\":3,\"192.0.2.2:8080\":4}";
        let place = Place::of(&config(list)).unwrap().unwrap();
        let found = place.read(StoreTime::new(1)).unwrap();
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
        let found = Place { cache, ..place }.read(StoreTime::new(1)).unwrap();
        let numbers: Vec<u32> = found.nodes.iter().map(|node| node.worker).collect();
        assert_eq!(numbers, [4, 9], "a Leaf goes on with the number of its file");
        assert!(found.nodes[1].stamped.is_some(), "and whether it runs shows");
        assert!(Place::of(&config("leaf.snowflake.enable=false")).unwrap().is_none());
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
            let said = Place::of(&config(more)).unwrap_err().detail;
            assert!(said.contains(key) && said.contains(says), "{more}: {said}");
        }
    }
}
