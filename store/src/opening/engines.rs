//! The kinds of databases: those that keep tables, and those that keep keys.

use std::sync::Arc;

use leafid_core::Token;
use tokio::runtime::Handle;

use super::database::{Database, Kind};
use crate::backends::etcd::{self, Etcd};
use crate::backends::greatest::remote::{of_mysql, of_postgres};
use crate::backends::keyed::Keyed;
use crate::backends::keyed::engine::Engine;
use crate::backends::mysql::{self, Leaf, Mysql};
use crate::backends::opening::{Terms, Unopened};
use crate::backends::postgres::{self, Postgres};
use crate::backends::remote::Remote;
use crate::backends::remote::driver::Driver;
use crate::backends::remote::open::rename;
use crate::backends::zookeeper::{self, Zookeeper};
use crate::clock::Clock;
use crate::problem::Problem;
use crate::registry::Registry;

/// One that keeps tables.
struct Tables<D: Driver> {
    address: D::Address,
    place: String,
    greatest: fn(&D::Address, &str) -> Result<Option<i64>, Problem>,
    is_leafs: bool,
}

/// One that keeps keys.
struct Keys<E: Engine> {
    address: E::Address,
    place: String,
}

/// Reads the URL of this scheme.
pub fn parse(scheme: &str, named: &str) -> Result<Database, Problem> {
    Ok(Database(match scheme {
        "postgres" | "postgresql" => {
            let address = postgres::Address::parse(named)?;
            let place = address.place.clone();
            Arc::new(Tables::<Postgres> { address, place, greatest: of_postgres, is_leafs: false })
        }
        "mysql" | "mariadb" => {
            let address = mysql::Address::parse(named)?;
            let (place, is_leafs, greatest) = (address.place.clone(), address.leaf, of_mysql);
            match is_leafs {
                true => Arc::new(Tables::<Mysql<Leaf>> { address, place, greatest, is_leafs }),
                false => Arc::new(Tables::<Mysql> { address, place, greatest, is_leafs }),
            }
        }
        "zk" => {
            let address = zookeeper::Address::parse(named)?;
            Arc::new(Keys::<Zookeeper> { place: address.place.clone(), address })
        }
        _ => {
            let address = etcd::Address::parse(named)?;
            Arc::new(Keys::<Etcd> { place: address.place.clone(), address })
        }
    }))
}

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
        let begin = if new { Remote::<D>::create } else { Remote::<D>::open };
        let back_end = begin(&self.address, &self.place, Arc::clone(&clock), terms)?;
        Ok(Registry::on(on, back_end, clock, terms.options.first_use)?)
    }

    fn greatest(&self, sql: &str) -> Result<Option<i64>, Problem> {
        (self.greatest)(&self.address, sql)
    }

    fn rename(&self, id: Token) -> Result<(), Problem> {
        Ok(rename::<D>(&self.address, &self.place, id)?)
    }
}

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
        let begin = if new { Keyed::<E>::create } else { Keyed::<E>::open };
        let back_end = begin(&self.address, &self.place, Arc::clone(&clock), terms)?;
        Ok(Registry::on(on, back_end, clock, terms.options.first_use)?)
    }
}
