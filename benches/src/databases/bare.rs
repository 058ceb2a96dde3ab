//! The floor: the one statement that leases numbers, sent again and again by the client crate that the
//! server uses.

use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable;
use tokio::runtime::Runtime;

use crate::Outcome;
use crate::sending::{self, Sends};
use crate::whole::{self, OverMysql, OverPostgres};

/// Connections that send the bare statement.
pub trait Bare: Sized {
    /// Connects so many.
    fn prepare(url: &str, connections: usize) -> Outcome<Self>;

    /// Connections of another kind to compare with, and what they send.
    fn also(_url: &str, _connections: usize) -> Outcome<Option<(&'static str, Box<dyn Sends>)>> {
        Ok(None)
    }

    /// Sends it on so many connections at once for so long; how often it was done.
    fn run(&mut self, connections: usize, length: Duration) -> Outcome<u64>;
}

/// Connections to a database that speaks SQL.
pub trait Sql: Bare {
    /// A count that each change of a tag's row adds one to.
    const CHANGES: &'static str;
}

/// The statement over tokio-postgres.
pub struct Postgresql {
    runtime: Runtime,
    clients: sending::Postgresqls,
}

impl Sql for Postgresql {
    const CHANGES: &'static str = "SELECT txid_current()";
}

impl Bare for Postgresql {
    fn prepare(url: &str, connections: usize) -> Outcome<Postgresql> {
        let lease =
            "UPDATE leafid.tags SET max_id = max_id + $1 WHERE tag = 'bare' RETURNING max_id";
        let (runtime, clients) = sending::postgres(url, connections, "", lease)?;
        Ok(Postgresql { runtime, clients })
    }

    fn also(url: &str, connections: usize) -> Outcome<Option<(&'static str, Box<dyn Sends>)>> {
        let over = OverPostgres::prepare(url, connections)?;
        Ok(Some((whole::NAME, Box::new(over))))
    }

    fn run(&mut self, connections: usize, length: Duration) -> Outcome<u64> {
        let until = Instant::now() + length;
        let works = self.clients.iter().take(connections).map(async |(client, statement)| {
            let mut done = 0;
            while Instant::now() < until {
                client.query_one(statement, &[&10_i64]).await?;
                done += 1;
            }
            Ok::<u64, tokio_postgres::Error>(done)
        });
        let done = self.runtime.block_on(futures_util::future::try_join_all(works));
        done.map(|done| done.iter().sum()).map_err(|error| error.to_string())
    }
}

/// The statement over mysql_async.
pub struct Mysql {
    runtime: Runtime,
    clients: Vec<mysql_async::Conn>,
}

impl Sql for Mysql {
    const CHANGES: &'static str = "SELECT variable_value FROM information_schema.global_status \
                                   WHERE variable_name = 'HANDLER_UPDATE'";
}

impl Bare for Mysql {
    fn prepare(url: &str, connections: usize) -> Outcome<Mysql> {
        let (runtime, clients) = sending::mysql(url, connections)?;
        Ok(Mysql { runtime, clients })
    }

    fn also(url: &str, connections: usize) -> Outcome<Option<(&'static str, Box<dyn Sends>)>> {
        let over = OverMysql::prepare(url, connections)?;
        Ok(Some((whole::NAME, Box::new(over))))
    }

    fn run(&mut self, connections: usize, length: Duration) -> Outcome<u64> {
        let until = Instant::now() + length;
        let works = self.clients.iter_mut().take(connections).map(async |client| {
            let lease = "UPDATE tags SET max_id = LAST_INSERT_ID(max_id + ?) WHERE tag = 'bare'";
            let mut done = 0;
            while Instant::now() < until {
                client.exec_drop(lease, (10_i64,)).await?;
                done += 1;
            }
            Ok::<u64, mysql_async::Error>(done)
        });
        let done = self.runtime.block_on(futures_util::future::try_join_all(works));
        done.map(|done| done.iter().sum()).map_err(|error| error.to_string())
    }
}
