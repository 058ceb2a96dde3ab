//! The floor: the one statement that leases numbers, sent again and again by the client crate that the
//! server uses.

use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable;
use tokio::runtime::Runtime;

use crate::Outcome;

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

/// A statement that is sent again and again.
pub trait Sends {
    /// As [`Bare::run`].
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
    clients: Vec<(tokio_postgres::Client, tokio_postgres::Statement)>,
}

impl Sql for Postgresql {
    const CHANGES: &'static str = "SELECT txid_current()";
}

impl Bare for Postgresql {
    fn prepare(url: &str, connections: usize) -> Outcome<Postgresql> {
        let runtime = runtime()?;
        let connect = async {
            let mut clients = Vec::new();
            for _ in 0..connections {
                let (client, connection) =
                    tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
                tokio::spawn(connection);
                let lease = "UPDATE leafid.tags SET max_id = max_id + $1 WHERE tag = 'bare' \
                             RETURNING max_id";
                let statement = client.prepare(lease).await?;
                clients.push((client, statement));
            }
            Ok::<_, tokio_postgres::Error>(clients)
        };
        let clients = runtime.block_on(connect).map_err(|error| error.to_string())?;
        Ok(Postgresql { runtime, clients })
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
        let runtime = runtime()?;
        let connect = async {
            let mut clients = Vec::new();
            let options = mysql_async::Opts::from_url(url)?;
            let options = mysql_async::OptsBuilder::from_opts(options).prefer_socket(false);
            for _ in 0..connections {
                clients.push(mysql_async::Conn::new(options.clone()).await?);
            }
            Ok::<_, mysql_async::Error>(clients)
        };
        let clients = runtime.block_on(connect).map_err(|error| error.to_string())?;
        Ok(Mysql { runtime, clients })
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

/// One thread, as the server has for its store.
pub fn runtime() -> Outcome<Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())
}
