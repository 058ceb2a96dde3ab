//! Finds stores by the name that an operator gives, and opens a registry over them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use leafid_core::{Code, Token};
use tokio::runtime::Handle;

#[cfg(any(feature = "sql", feature = "etcd", feature = "zookeeper"))]
use crate::backends::far;
use crate::backends::greatest::of_file;
#[cfg(feature = "sql")]
use crate::backends::greatest::remote::{of_mysql, of_postgres};
use crate::backends::opening::{Options, Unopened};
use crate::backends::sqlite::{Sqlite, file};
#[cfg(feature = "sql")]
use crate::backends::{
    mysql::{self, Mysql},
    postgres::{self, Postgres},
    remote::{self, Remote},
};
use crate::clock::Clock;
#[cfg(any(feature = "etcd", feature = "zookeeper"))]
use crate::keyed::Keyed;
#[cfg(feature = "etcd")]
use crate::keyed::etcd;
#[cfg(feature = "zookeeper")]
use crate::keyed::zookeeper;
use crate::problem::Problem;
use crate::registry::Registry;

/// Where a store is.
#[derive(Clone, Debug)]
pub enum Place {
    /// A SQLite file.
    File(PathBuf),
    /// A database of PostgreSQL.
    #[cfg(feature = "sql")]
    Postgres(postgres::Address),
    /// A database of MySQL or MariaDB.
    #[cfg(feature = "sql")]
    Mysql(mysql::Address),
    /// Keys of etcd.
    #[cfg(feature = "etcd")]
    Etcd(etcd::Address),
    /// Nodes of ZooKeeper.
    #[cfg(feature = "zookeeper")]
    Zookeeper(zookeeper::Address),
}

impl Place {
    /// Parses a URL; `None` for a name that is not a database's.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, which does not repeat the URL: it may have a password.
    pub fn parse(named: &str) -> Option<Result<Place, Problem>> {
        let scheme = named.split_once(':')?.0;
        if let Err(left_out) = built(scheme) {
            return Some(Err(left_out));
        }
        match scheme {
            #[cfg(feature = "sql")]
            "postgres" | "postgresql" => Some(postgres::Address::parse(named).map(Place::Postgres)),
            #[cfg(feature = "sql")]
            "mysql" | "mariadb" => Some(mysql::Address::parse(named).map(Place::Mysql)),
            #[cfg(feature = "etcd")]
            "etcd" | "etcds" => Some(etcd::Address::parse(named).map(Place::Etcd)),
            #[cfg(feature = "zookeeper")]
            "zk" => Some(zookeeper::Address::parse(named).map(Place::Zookeeper)),
            _ => None,
        }
    }

    /// Whether the store of this name has its tags in Leaf's own table.
    pub fn is_leafs(named: &str) -> bool {
        match Place::parse(named) {
            #[cfg(feature = "sql")]
            Some(Ok(Place::Mysql(address))) => address.leaf,
            _ => false,
        }
    }

    /// The place for messages: without a password.
    pub fn shown(&self) -> String {
        match self {
            Place::File(path) => file::place(path),
            #[cfg(feature = "sql")]
            Place::Postgres(address) => address.place.clone(),
            #[cfg(feature = "sql")]
            Place::Mysql(address) => address.place.clone(),
            #[cfg(feature = "etcd")]
            Place::Etcd(address) => address.place.clone(),
            #[cfg(feature = "zookeeper")]
            Place::Zookeeper(address) => address.place.clone(),
        }
    }

    /// Opens the store, or makes it if the options allow. A store across a network runs as a task of the
    /// runtime `on`, if given, and any other on a thread of its own.
    ///
    /// # Errors
    /// As [`Sqlite::open`] and [`far::open`].
    pub fn open(
        &self,
        on: Option<&Handle>,
        clock: Arc<dyn Clock>,
        options: &Options,
    ) -> Result<Registry, Unopened> {
        #[cfg(any(feature = "sql", feature = "etcd", feature = "zookeeper"))]
        fn over<B: far::Far>(
            address: &far::Address<B>,
            place: &str,
            on: Option<&Handle>,
            clock: Arc<dyn Clock>,
            options: &Options,
        ) -> Result<Registry, Unopened> {
            let back_end = far::open::<B>(address, place, clock, options)?;
            Ok(Registry::over(on, back_end, options.first_use)?)
        }
        match self {
            Place::File(path) => {
                Ok(Registry::over(on, Sqlite::open(path, clock, options)?, options.first_use)?)
            }
            #[cfg(feature = "sql")]
            Place::Postgres(at) => over::<Remote<Postgres>>(at, &at.place, on, clock, options),
            #[cfg(feature = "sql")]
            Place::Mysql(at) => over::<Remote<Mysql>>(at, &at.place, on, clock, options),
            #[cfg(feature = "etcd")]
            Place::Etcd(at) => over::<Keyed<etcd::Etcd>>(at, &at.place, on, clock, options),
            #[cfg(feature = "zookeeper")]
            Place::Zookeeper(at) => {
                over::<Keyed<zookeeper::Zookeeper>>(at, &at.place, on, clock, options)
            }
        }
    }

    /// Runs an application's query for `--from-max`.
    ///
    /// # Errors
    /// `REQUEST_INVALID` if the place has no tables or the query gives no number, `STORE_UNAVAILABLE` if a
    /// database does not answer.
    pub fn greatest(&self, sql: &str) -> Result<Option<i64>, Problem> {
        match self {
            Place::File(path) => of_file(path, sql),
            #[cfg(feature = "sql")]
            Place::Postgres(address) => of_postgres(address, sql),
            #[cfg(feature = "sql")]
            Place::Mysql(address) => of_mysql(address, sql),
            #[cfg(any(feature = "etcd", feature = "zookeeper"))]
            _ => {
                let detail = format!(
                    "--from-max asks a database that has tables, and {} has none: add --in postgres://…, \
                     mysql://… or sqlite:PATH",
                    self.shown()
                );
                Err(Problem::new(Code::RequestInvalid, detail))
            }
        }
    }

    /// Gives the store another id.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a key-value store, `STORE_UNAVAILABLE` if the store is in use, or those of
    /// [`open`](Place::open).
    pub fn rename(&self, id: Token) -> Result<(), Problem> {
        match self {
            Place::File(path) => file::rename(path, id),
            #[cfg(feature = "sql")]
            Place::Postgres(at) => Ok(remote::rename::<Postgres>(at, &at.place, id)?),
            #[cfg(feature = "sql")]
            Place::Mysql(at) => Ok(remote::rename::<Mysql>(at, &at.place, id)?),
            #[cfg(any(feature = "etcd", feature = "zookeeper"))]
            _ => {
                let detail = format!(
                    "{} cannot be given another id: --new-id is for a file, PostgreSQL and MySQL; make a new \
                     store instead: leafid init",
                    self.shown()
                );
                Err(Problem::new(Code::RequestInvalid, detail))
            }
        }
    }
}

/// Refuses a URL scheme that this program was built without.
///
/// # Errors
/// `REQUEST_INVALID`.
pub fn built(scheme: &str) -> Result<(), Problem> {
    let (feature, is_built) = match scheme {
        "postgres" | "postgresql" | "mysql" | "mariadb" => ("sql", cfg!(feature = "sql")),
        "etcd" | "etcds" => ("etcd", cfg!(feature = "etcd")),
        "zk" => ("zookeeper", cfg!(feature = "zookeeper")),
        _ => return Ok(()),
    };
    if is_built {
        return Ok(());
    }
    let detail = format!(
        "this `leafid` was built without `{feature}`: build it with `--features {feature}`"
    );
    Err(Problem::new(Code::RequestInvalid, detail))
}

/// Opens a store in a SQLite file, or makes it if the options allow.
///
/// # Errors
/// As [`Sqlite::open`].
pub fn open_sqlite(
    path: &Path,
    clock: Arc<dyn Clock>,
    options: &Options,
) -> Result<Registry, Problem> {
    Ok(Place::File(path.to_owned()).open(None, clock, options)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_was_left_out_is_named() {
        for (scheme, feature, is_built) in [
            ("postgres", "sql", cfg!(feature = "sql")),
            ("mysql", "sql", cfg!(feature = "sql")),
            ("etcd", "etcd", cfg!(feature = "etcd")),
            ("zk", "zookeeper", cfg!(feature = "zookeeper")),
        ] {
            let url = format!("{scheme}://u:p@127.0.0.1:1/d");
            let read = Place::parse(&url).expect("a database's");
            match read {
                Ok(_) => assert!(is_built, "{scheme}"),
                Err(refused) => {
                    assert!(!is_built && refused.code == Code::RequestInvalid, "{refused}");
                    assert!(refused.detail.ends_with(&format!("`--features {feature}`")));
                }
            }
        }
    }
}
