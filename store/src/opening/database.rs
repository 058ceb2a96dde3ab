//! A store by its name, and what keeps it.

use std::sync::Arc;

use leafid_core::{Code, Token};
use tokio::runtime::Handle;

use crate::backends::clock::Source;
use crate::backends::etcd::{self, Etcd};
use crate::backends::greatest::remote::{of_mysql, of_postgres};
use crate::backends::keyed::Keyed;
use crate::backends::mysql::{self, Leaf, Mysql};
use crate::backends::opening::{Options, Terms, Unopened};
use crate::backends::postgres::{self, Postgres};
use crate::backends::remote::Remote;
use crate::backends::remote::open::{migrate, rename};
use crate::backends::remote::version::VERSION;
use crate::backends::zookeeper::{self, Zookeeper};
use crate::clock::{Clock, SystemClock};
use crate::problem::Problem;
use crate::registry::Registry;

/// A database that a URL names.
#[derive(Clone, Debug)]
pub enum Database {
    /// `postgres://…` or `postgresql://…`.
    Postgres(postgres::Address),
    /// `mysql://…`.
    Mysql(mysql::Address),
    /// `mysql://…?tags=leaf_alloc`: Leaf's own table keeps the tags.
    Leaf(mysql::Address),
    /// `etcd://…`, or `etcds://…` with TLS.
    Etcd(etcd::Address),
    /// `zk://…`.
    Zookeeper(zookeeper::Address),
}

impl Database {
    /// Reads a URL; `None` for a name that is no database's.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, which does not repeat the URL: it may have a password.
    pub fn parse(named: &str) -> Option<Result<Database, Problem>> {
        match named.split_once(':')?.0 {
            "postgres" | "postgresql" => {
                Some(postgres::Address::parse(named).map(Database::Postgres))
            }
            "mysql" | "mariadb" => {
                Some(mysql::Address::parse(named).map(|address| match address.leaf {
                    true => Database::Leaf(address),
                    false => Database::Mysql(address),
                }))
            }
            "etcd" | "etcds" => Some(etcd::Address::parse(named).map(Database::Etcd)),
            "zk" => Some(zookeeper::Address::parse(named).map(Database::Zookeeper)),
            _ => None,
        }
    }

    /// Whether the tags of the store with this name are in Leaf's own table.
    pub fn is_leafs(named: &str) -> bool {
        matches!(Database::parse(named), Some(Ok(Database::Leaf(_))))
    }

    /// Where it is, for a person: without a password.
    pub fn place(&self) -> &str {
        match self {
            Database::Postgres(address) => &address.place,
            Database::Mysql(address) | Database::Leaf(address) => &address.place,
            Database::Etcd(address) => &address.place,
            Database::Zookeeper(address) => &address.place,
        }
    }

    /// Opens the store that lies there, or makes it where the terms say so; it is used on a thread of
    /// its own.
    ///
    /// # Errors
    /// As [`open`](crate::backends::remote::open::open).
    pub fn open(&self, clock: Arc<dyn Clock>, terms: &Terms) -> Result<Registry, Unopened> {
        self.open_on(None, clock, terms)
    }

    /// As [`Database::open`], and uses it as a task of this runtime, if one is given.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn open_on(
        &self,
        on: Option<&Handle>,
        clock: Arc<dyn Clock>,
        terms: &Terms,
    ) -> Result<Registry, Unopened> {
        let (ticks, first_use) = (Arc::clone(&clock), terms.options.first_use);
        let registry = match self {
            Database::Postgres(address) => {
                let opened = Remote::<Postgres>::open(address, self.place(), ticks, terms)?;
                Registry::on(on, opened, clock, first_use)
            }
            Database::Mysql(address) => {
                let opened = Remote::<Mysql>::open(address, self.place(), ticks, terms)?;
                Registry::on(on, opened, clock, first_use)
            }
            Database::Leaf(address) => {
                let opened = Remote::<Mysql<Leaf>>::open(address, self.place(), ticks, terms)?;
                Registry::on(on, opened, clock, first_use)
            }
            Database::Etcd(address) => {
                let opened = Keyed::<Etcd>::open(address, self.place(), ticks, terms)?;
                Registry::on(on, opened, clock, first_use)
            }
            Database::Zookeeper(address) => {
                let opened = Keyed::<Zookeeper>::open(address, self.place(), ticks, terms)?;
                Registry::on(on, opened, clock, first_use)
            }
        };
        Ok(registry?)
    }

    /// Makes a store where none is.
    ///
    /// # Errors
    /// `STORE_REFUSED` if one is there, with what is in it; else as [`Database::open`].
    pub fn create(&self, clock: Arc<dyn Clock>, terms: &Terms) -> Result<Registry, Unopened> {
        let (ticks, first_use) = (Arc::clone(&clock), terms.options.first_use);
        let registry = match self {
            Database::Postgres(address) => {
                let made = Remote::<Postgres>::create(address, self.place(), ticks, terms)?;
                Registry::over(made, clock, first_use)
            }
            Database::Mysql(address) => {
                let made = Remote::<Mysql>::create(address, self.place(), ticks, terms)?;
                Registry::over(made, clock, first_use)
            }
            Database::Leaf(address) => {
                let made = Remote::<Mysql<Leaf>>::create(address, self.place(), ticks, terms)?;
                Registry::over(made, clock, first_use)
            }
            Database::Etcd(address) => {
                let made = Keyed::<Etcd>::create(address, self.place(), ticks, terms)?;
                Registry::over(made, clock, first_use)
            }
            Database::Zookeeper(address) => {
                let made = Keyed::<Zookeeper>::create(address, self.place(), ticks, terms)?;
                Registry::over(made, clock, first_use)
            }
        };
        Ok(registry?)
    }

    /// What a query of an application gives, asked for `--from-max`.
    ///
    /// # Errors
    /// `REQUEST_INVALID` where it has no tables; as [`of_postgres`].
    pub fn greatest(&self, sql: &str) -> Result<Option<i64>, Problem> {
        match self {
            Database::Postgres(address) => of_postgres(address, sql),
            Database::Mysql(address) => of_mysql(address, sql),
            other => {
                let detail = format!(
                    "--from-max asks a database that has tables, and {} has none: add --in postgres://…, \
                     mysql://… or sqlite:PATH",
                    other.place()
                );
                Err(Problem::new(Code::RequestInvalid, detail))
            }
        }
    }

    /// Gives the store that lies there another id.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a database that does not keep tables; else as [`Database::open`].
    pub fn rename(&self, id: Token) -> Result<(), Problem> {
        let renamed = match self {
            Database::Postgres(address) => rename::<Postgres>(address, self.place(), id),
            Database::Mysql(address) => rename::<Mysql>(address, self.place(), id),
            Database::Leaf(address) => rename::<Mysql<Leaf>>(address, self.place(), id),
            Database::Etcd(_) | Database::Zookeeper(_) => {
                let detail = format!(
                    "{} cannot be given another id: --new-id is for a file, PostgreSQL and MySQL; make a \
                     new store instead: leafid init",
                    self.place()
                );
                return Err(Problem::new(Code::RequestInvalid, detail));
            }
        };
        Ok(renamed?)
    }

    /// Raises the tables of the store that lies there to this program's version; gives the version
    /// that they were of, and this program's.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn migrate(&self) -> Result<(i64, i64), Unopened> {
        let before = match self {
            Database::Postgres(address) => migrate::<Postgres>(address, self.place()),
            Database::Mysql(address) => migrate::<Mysql>(address, self.place()),
            Database::Leaf(address) => migrate::<Mysql<Leaf>>(address, self.place()),
            // They have had one version.
            Database::Etcd(_) | Database::Zookeeper(_) => {
                let terms = Terms {
                    options: Options::default(),
                    allow_unsafe: true,
                    source: Source::Database,
                };
                self.open(Arc::new(SystemClock), &terms).map(|_| VERSION)
            }
        };
        Ok((before?, VERSION))
    }
}
