//! The kinds of databases: those that keep tables, and those that keep keys.

#![cfg_attr(
    not(any(feature = "sql", feature = "etcd", feature = "zookeeper")),
    expect(unused_imports, reason = "there is no engine but SQLite")
)]

use std::sync::Arc;

#[cfg(feature = "sql")]
use leafid_core::Token;
use tokio::runtime::Handle;

use super::database::{Database, Kind};
use crate::absent::left_out;
use crate::backends::far::{Far, create, open};
use crate::backends::opening::{Terms, Unopened};
#[cfg(feature = "sql")]
use crate::backends::{
    greatest::remote::{of_mysql, of_postgres},
    mysql::{self, Leaf, Mysql},
    postgres::{self, Postgres},
    remote::{Driver, Remote, rename},
};
use crate::clock::Clock;
#[cfg(feature = "etcd")]
use crate::keyed::etcd;
#[cfg(feature = "zookeeper")]
use crate::keyed::zookeeper;
#[cfg(any(feature = "etcd", feature = "zookeeper"))]
use crate::keyed::{Keyed, engine::Engine};
use crate::problem::Problem;
use crate::registry::Registry;

/// One that keeps tables.
#[cfg(feature = "sql")]
struct Tables<D: Driver> {
    address: D::Address,
    place: String,
    greatest: fn(&D::Address, &str) -> Result<Option<i64>, Problem>,
    is_leafs: bool,
}

/// One that keeps keys.
#[cfg(any(feature = "etcd", feature = "zookeeper"))]
struct Keys<E: Engine> {
    address: E::Address,
    place: String,
}

/// Reads the URL of this scheme.
pub fn parse(scheme: &str, named: &str) -> Result<Database, Problem> {
    match scheme {
        #[cfg(feature = "sql")]
        "postgres" | "postgresql" => {
            let address = postgres::Address::parse(named)?;
            let (place, greatest) = (address.place.clone(), of_postgres);
            of(Tables::<Postgres> { address, place, greatest, is_leafs: false })
        }
        #[cfg(feature = "sql")]
        "mysql" | "mariadb" => {
            let address = mysql::Address::parse(named)?;
            let (place, is_leafs, greatest) = (address.place.clone(), address.leaf, of_mysql);
            match is_leafs {
                true => of(Tables::<Mysql<Leaf>> { address, place, greatest, is_leafs }),
                false => of(Tables::<Mysql> { address, place, greatest, is_leafs }),
            }
        }
        #[cfg(feature = "zookeeper")]
        "zk" => {
            let address = zookeeper::Address::parse(named)?;
            of(Keys::<zookeeper::Zookeeper> { place: address.place.clone(), address })
        }
        #[cfg(feature = "etcd")]
        "etcd" | "etcds" => {
            let address = etcd::Address::parse(named)?;
            of(Keys::<etcd::Etcd> { place: address.place.clone(), address })
        }
        _ => Err(left_out(named)),
    }
}

#[cfg(any(feature = "sql", feature = "etcd", feature = "zookeeper"))]
fn of(kind: impl Kind + 'static) -> Result<Database, Problem> {
    Ok(Database(Arc::new(kind)))
}

/// Opens the store there, or makes a `new` one.
#[cfg(any(feature = "sql", feature = "etcd", feature = "zookeeper"))]
fn begin<B: Far + Send + 'static>(
    (address, place): (&B::Address, &str),
    on: Option<&Handle>,
    clock: Arc<dyn Clock>,
    terms: &Terms,
    new: bool,
) -> Result<Registry, Unopened> {
    let begin = if new { create::<B> } else { open::<B> };
    let back_end = begin(address, place, Arc::clone(&clock), terms)?;
    Ok(Registry::on(on, back_end, clock, terms.options.first_use)?)
}

#[cfg(feature = "sql")]
impl<D: Driver> Kind for Tables<D> {
    fn place(&self) -> &str {
        &self.place
    }

    fn has_leafs_tags(&self) -> bool {
        self.is_leafs
    }

    fn open(
        &self,
        on: Option<&Handle>,
        clock: Arc<dyn Clock>,
        terms: &Terms,
        new: bool,
    ) -> Result<Registry, Unopened> {
        begin::<Remote<D>>((&self.address, &self.place), on, clock, terms, new)
    }

    fn greatest(&self, sql: &str) -> Result<Option<i64>, Problem> {
        (self.greatest)(&self.address, sql)
    }

    fn rename(&self, id: Token) -> Result<(), Problem> {
        Ok(rename::<D>(&self.address, &self.place, id)?)
    }
}

#[cfg(any(feature = "etcd", feature = "zookeeper"))]
impl<E: Engine> Kind for Keys<E> {
    fn place(&self) -> &str {
        &self.place
    }

    fn open(
        &self,
        on: Option<&Handle>,
        clock: Arc<dyn Clock>,
        terms: &Terms,
        new: bool,
    ) -> Result<Registry, Unopened> {
        begin::<Keyed<E>>((&self.address, &self.place), on, clock, terms, new)
    }
}
