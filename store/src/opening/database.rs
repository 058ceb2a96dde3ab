//! A store by the URL of the database that keeps it.

#![cfg_attr(
    not(any(feature = "sql", feature = "etcd", feature = "zookeeper")),
    expect(dead_code, reason = "there is no engine but SQLite")
)]

use std::sync::Arc;

use leafid_core::Token;
use tokio::runtime::Handle;

use crate::absent::left_out;
use crate::backends::far::{Address, Far, create, open};
use crate::backends::opening::{Terms, Unopened};
#[cfg(feature = "sql")]
use crate::backends::{
    mysql::{self, Mysql},
    postgres::{self, Postgres},
    remote::Remote,
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

const SCHEMES: [&str; 7] = ["postgres", "postgresql", "mysql", "mariadb", "etcd", "etcds", "zk"];

/// A database that a URL names.
#[derive(Clone)]
pub struct Database {
    place: String,
    is_leafs: bool,
    kind: Arc<dyn Kind>,
}

impl Database {
    /// Reads a URL; `None` for a name that is no database's.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, which does not repeat the URL: it may have a password.
    pub fn parse(named: &str) -> Option<Result<Database, Problem>> {
        Some(match named.split_once(':')?.0 {
            #[cfg(feature = "sql")]
            "postgres" | "postgresql" => postgres::Address::parse(named)
                .map(|address| of::<Remote<Postgres>>(address.place.clone(), false, address)),
            #[cfg(feature = "sql")]
            "mysql" | "mariadb" => mysql::Address::parse(named)
                .map(|address| of::<Remote<Mysql>>(address.place.clone(), address.leaf, address)),
            #[cfg(feature = "zookeeper")]
            "zk" => zookeeper::Address::parse(named).map(|address| {
                of::<Keyed<zookeeper::Zookeeper>>(address.place.clone(), false, address)
            }),
            #[cfg(feature = "etcd")]
            "etcd" | "etcds" => etcd::Address::parse(named)
                .map(|address| of::<Keyed<etcd::Etcd>>(address.place.clone(), false, address)),
            scheme if SCHEMES.contains(&scheme) => Err(left_out(named)),
            _ => return None,
        })
    }

    /// Whether the tags of the store with this name are in Leaf's own table.
    pub fn is_leafs(named: &str) -> bool {
        matches!(Database::parse(named), Some(Ok(Database { is_leafs: true, .. })))
    }

    /// Where it is, for a person: without a password.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Opens the store that lies there, or makes it where the terms say so; or makes a `new` one where
    /// none is. It is used as a task of this runtime, or on a thread of its own.
    ///
    /// # Errors
    /// As [`open`]; `STORE_REFUSED` also where one is there that was to be new.
    pub fn open(
        &self,
        on: Option<&Handle>,
        clock: Arc<dyn Clock>,
        terms: &Terms,
        new: bool,
    ) -> Result<Registry, Unopened> {
        self.kind.open(&self.place, on, clock, terms, new)
    }

    /// What a query of an application gives, asked for `--from-max`.
    ///
    /// # Errors
    /// `REQUEST_INVALID` where it has no tables, or the query gives no number; else as [`open`].
    pub fn greatest(&self, sql: &str) -> Result<Option<i64>, Problem> {
        self.kind.greatest(&self.place, sql)
    }

    /// Gives the store that lies there another id.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a database that does not keep tables; else as [`open`].
    pub fn rename(&self, id: Token) -> Result<(), Problem> {
        Ok(self.kind.rename(&self.place, id)?)
    }
}

/// What is asked of an address, whatever back end it is for.
trait Kind: Send + Sync {
    fn open(
        &self,
        place: &str,
        on: Option<&Handle>,
        clock: Arc<dyn Clock>,
        terms: &Terms,
        new: bool,
    ) -> Result<Registry, Unopened>;

    fn greatest(&self, place: &str, sql: &str) -> Result<Option<i64>, Problem>;

    fn rename(&self, place: &str, id: Token) -> Result<(), Unopened>;
}

struct At<B: Far>(Address<B>);

fn of<B: Far>(place: String, is_leafs: bool, address: Address<B>) -> Database {
    Database { place, is_leafs, kind: Arc::new(At::<B>(address)) }
}

impl<B: Far> Kind for At<B> {
    fn open(
        &self,
        place: &str,
        on: Option<&Handle>,
        clock: Arc<dyn Clock>,
        terms: &Terms,
        new: bool,
    ) -> Result<Registry, Unopened> {
        let begin = if new { create::<B> } else { open::<B> };
        let back_end = begin(&self.0, place, Arc::clone(&clock), terms)?;
        Ok(Registry::on(on, back_end, clock, terms.options.first_use)?)
    }

    fn greatest(&self, place: &str, sql: &str) -> Result<Option<i64>, Problem> {
        B::greatest(&self.0, place, sql)
    }

    fn rename(&self, place: &str, id: Token) -> Result<(), Unopened> {
        B::rename(&self.0, place, id)
    }
}
