//! What `leaf.snowflake.*` of a `leaf.properties` means: where Leaf's numbers are, and which of them is
//! this machine's.

use std::net::UdpSocket;

use leafid_core::{Code, StoreTime};
use serde_json::{Map, Value};

use super::{Found, Growth, files, table, zookeeper};
use crate::backends::{mysql, zookeeper as zk};
use crate::json::shown;
use crate::problem::Problem;

/// The keys of the file, as they stand there; empty for one that is missing.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `leaf.name`
    pub name: String,
    /// `leaf.snowflake.mode`: `zk_normal`, which Leaf itself has, `zk_recycle`, `mysql` or `local`.
    pub mode: String,
    /// `leaf.snowflake.port`
    pub port: String,
    /// `leaf.snowflake.zk.address`
    pub zk_address: String,
    /// `leaf.snowflake.local.workIdMap`
    pub work_id_map: String,
    /// The database of `leaf.jdbc.url`, if it names one.
    pub database: Option<mysql::Address>,
}

/// Where Leaf's numbers are.
#[derive(Clone, Debug)]
pub enum Source {
    /// In ZooKeeper: `zk_normal` and `zk_recycle`.
    Tree(zk::Address),
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
}

impl Settings {
    /// What they mean.
    ///
    /// # Errors
    /// `REQUEST_INVALID` with the key that is missing or wrong, and what it takes.
    pub fn place(&self) -> Result<Place, Problem> {
        let port = self.port.parse().ok().filter(|port| *port > 0);
        let port = port.ok_or_else(|| {
            wrong(
                "leaf.snowflake.port",
                &self.port,
                "the port under which this machine registered: its number is found by it, and Leaf does \
                 not start without it either",
            )
        })?;
        Ok(Place { source: self.source()?, port })
    }

    fn source(&self) -> Result<Source, Problem> {
        match self.mode.as_str() {
            "" | "zk_normal" | "zk_recycle" => {
                if self.name.is_empty() {
                    return Err(wrong("leaf.name", "", "the name below /snowflake/ in ZooKeeper"));
                }
                if self.zk_address.is_empty() {
                    return Err(wrong(
                        "leaf.snowflake.zk.address",
                        "",
                        "ZooKeeper's servers, as in 10.0.0.1:2181,10.0.0.2:2181",
                    ));
                }
                let url =
                    format!("zk://{}/snowflake/{}", self.zk_address.replace(' ', ""), self.name);
                zk::Address::parse(&url).map(Source::Tree).map_err(|_| {
                    wrong(
                        "leaf.snowflake.zk.address",
                        &self.zk_address,
                        "ZooKeeper's servers, as in 10.0.0.1:2181,10.0.0.2:2181",
                    )
                })
            }
            "mysql" => self.database.clone().map(Source::Table).ok_or_else(|| {
                wrong("leaf.jdbc.url", "", "the database that has the table leaf_workerid_alloc")
            }),
            "local" => serde_json::from_str(&self.work_id_map).map(Source::List).map_err(|_| {
                wrong(
                    "leaf.snowflake.local.workIdMap",
                    &self.work_id_map,
                    "every Leaf with its number, as in {\"192.0.2.2:8080\":3}",
                )
            }),
            mode => Err(wrong(
                "leaf.snowflake.mode",
                mode,
                "one of zk_normal, zk_recycle, mysql and local",
            )),
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
            Source::Table(address) => table::read(address),
            Source::List(list) => {
                let place = "leaf.snowflake.local.workIdMap";
                let nodes = files::listed(list, place)
                    .map_err(|detail| Problem::new(Code::RequestInvalid, detail))?;
                Ok(Found { place: place.to_owned(), now, growth: Growth::Listed, nodes })
            }
        }
    }

    /// The `ip:port` of a number that this machine registered: the port is the file's, and the address
    /// one of this machine's.
    pub fn own<'f>(&self, found: &'f Found) -> Option<&'f str> {
        let owners = found.nodes.iter().filter_map(|node| node.owner.as_deref());
        owners.into_iter().find(|owner| {
            owner.rsplit_once(':').is_some_and(|(ip, port)| {
                // An address of another machine cannot be bound to.
                port.parse() == Ok(self.port) && UdpSocket::bind((ip, 0)).is_ok()
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(mode: &str) -> Settings {
        Settings {
            name: "com.example.leaf".to_owned(),
            mode: mode.to_owned(),
            port: "8080".to_owned(),
            zk_address: "10.0.0.1:2181,10.0.0.2".to_owned(),
            work_id_map: r#"{"127.0.0.1:8080":3,"192.0.2.2:8080":4}"#.to_owned(),
            database: mysql::Address::parse("mysql://u:p@h/leaf").ok(),
        }
    }

    #[test]
    fn each_mode_says_where_its_numbers_are() {
        for mode in ["", "zk_normal", "zk_recycle"] {
            let Ok(Source::Tree(address)) = settings(mode).source() else { panic!("{mode}") };
            assert_eq!(address.path, "/snowflake/com.example.leaf");
            assert_eq!(address.hosts, "10.0.0.1:2181,10.0.0.2:2181");
        }
        assert!(matches!(settings("mysql").source(), Ok(Source::Table(_))));
        let place = settings("local").place().unwrap();
        let found = place.read(StoreTime::new(1)).unwrap();
        assert_eq!((found.nodes.len(), found.growth), (2, Growth::Listed));
        assert_eq!(place.own(&found), Some("127.0.0.1:8080"), "the other is no address of ours");
        assert_eq!(Place { port: 8081, ..place }.own(&found), None);
    }

    #[test]
    fn what_leaf_does_not_start_with_is_said_by_its_key() {
        let says = |settings: Settings| settings.place().map(drop).unwrap_err().detail;
        let empty = |key: &str, settings: Settings| {
            let said = says(settings);
            assert!(said.contains(key) && said.contains("is empty or missing"), "{key}: {said}");
        };
        empty("leaf.snowflake.port", Settings { port: String::new(), ..settings("") });
        empty("leaf.name", Settings { name: String::new(), ..settings("") });
        let away = Settings { zk_address: String::new(), ..settings("zk_recycle") };
        empty("leaf.snowflake.zk.address", away);
        empty("leaf.jdbc.url", Settings { database: None, ..settings("mysql") });
        empty(
            "leaf.snowflake.local.workIdMap",
            Settings { work_id_map: String::new(), ..settings("local") },
        );
        let said = says(settings("etcd"));
        assert!(said.contains("`etcd`") && said.contains("zk_normal"), "{said}");
        let said = says(Settings { port: "http".to_owned(), ..settings("") });
        assert!(said.contains("`http`"), "{said}");
    }
}
