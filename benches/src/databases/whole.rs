//! The statement that the server sends, by itself: it writes a row only if the whole of it is as it was
//! read, and the session gives up before the server does. Each connection has a tag of its own, so that
//! none loses a race.

use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable;
use tokio::runtime::Runtime;

use crate::Outcome;
use crate::sending::{self, Postgresqls, Sends};

/// What a row of this kind is called.
pub const NAME: &str = "the server's statement, by itself";

const STEP: i64 = 10;
const MOST: i64 = 1_000_000;

/// The statement over tokio-postgres.
pub struct OverPostgres {
    runtime: Runtime,
    clients: Postgresqls,
    /// Where the tag of each stands.
    at: Vec<i64>,
}

impl OverPostgres {
    /// Makes the tags.
    pub fn prepare(url: &str, connections: usize) -> Outcome<OverPostgres> {
        let lease = "UPDATE tags SET max_id = $1, step = $2, max_step = $3, deleted = $4, until = $5 \
                     WHERE tag = $6 AND max_id = $7 AND step = $8 AND max_step = $9 \
                     AND deleted = $10 AND until IS NOT DISTINCT FROM $11 \
                     RETURNING floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        let session = "SET search_path = leafid; SET lock_timeout = 2000; \
                       SET statement_timeout = 3000; \
                       SET idle_in_transaction_session_timeout = 3000";
        let (runtime, clients) = sending::postgres(url, connections, session, lease)?;
        let make = async {
            for (number, (client, _)) in clients.iter().enumerate() {
                let make = "INSERT INTO leafid.tags VALUES ($1, 1, $2, $3, false, null)";
                client.execute(make, &[&tag(number), &STEP, &MOST]).await?;
            }
            Ok::<_, tokio_postgres::Error>(())
        };
        runtime.block_on(make).map_err(|error| error.to_string())?;
        Ok(OverPostgres { runtime, clients, at: vec![1; connections] })
    }
}

impl Sends for OverPostgres {
    fn run(&mut self, connections: usize, length: Duration) -> Outcome<u64> {
        let until = Instant::now() + length;
        let clients = self.clients.iter().zip(&mut self.at).enumerate().take(connections);
        let works = clients.map(async |(number, ((client, statement), at))| {
            let (tag, none, mut done) = (tag(number), None::<i64>, 0);
            while Instant::now() < until {
                let next = *at + STEP;
                let row: [&(dyn tokio_postgres::types::ToSql + Sync); 11] =
                    [&next, &STEP, &MOST, &false, &none, &tag, at, &STEP, &MOST, &false, &none];
                client.query_one(statement, &row).await?;
                *at = next;
                done += 1;
            }
            Ok::<u64, tokio_postgres::Error>(done)
        });
        let done = self.runtime.block_on(futures_util::future::try_join_all(works));
        done.map(|done| done.iter().sum()).map_err(|error| error.to_string())
    }
}

/// The statement over mysql_async.
pub struct OverMysql {
    runtime: Runtime,
    clients: Vec<(mysql_async::Conn, i64)>,
}

impl OverMysql {
    /// Makes the tags.
    pub fn prepare(url: &str, connections: usize) -> Outcome<OverMysql> {
        let (runtime, clients) = sending::mysql(url, connections)?;
        let make = async {
            let mut ready = Vec::new();
            for (number, mut client) in clients.into_iter().enumerate() {
                let session = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";
                client.query_drop(session).await?;
                let session = "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', \
                               innodb_lock_wait_timeout = 2, max_statement_time = 3, \
                               idle_transaction_timeout = 3";
                client.query_drop(session).await?;
                let make = "INSERT INTO tags (tag, max_id, step, max_step, deleted) \
                            VALUES (?, 1, ?, ?, 0)";
                client.exec_drop(make, (tag(number), STEP, MOST)).await?;
                ready.push((client, 1));
            }
            Ok::<_, mysql_async::Error>(ready)
        };
        let ready = runtime.block_on(make).map_err(|error| error.to_string())?;
        Ok(OverMysql { runtime, clients: ready })
    }
}

impl Sends for OverMysql {
    fn run(&mut self, connections: usize, length: Duration) -> Outcome<u64> {
        let until = Instant::now() + length;
        let clients = self.clients.iter_mut().enumerate().take(connections);
        let works = clients.map(async |(number, (client, at))| {
            let lease = "UPDATE tags SET max_id = ? + 0 * LAST_INSERT_ID(CAST(FLOOR(\
                         UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS SIGNED)), step = ?, max_step = ?, \
                         deleted = ?, `until` = ? WHERE tag = ? AND max_id = ? AND step = ? \
                         AND max_step = ? AND deleted = ? AND `until` <=> ?";
            let (tag, none, mut done) = (tag(number), None::<i64>, 0);
            while Instant::now() < until {
                let next = *at + STEP;
                let (set, was) = ((next, STEP, MOST, 0, none), (*at, STEP, MOST, 0, none));
                let row = (set.0, set.1, set.2, set.3, set.4, &tag, was.0, was.1, was.2, was.3);
                let row = mysql_async::Params::from(row);
                let mysql_async::Params::Positional(mut row) = row else { continue };
                row.push(was.4.into());
                client.exec_drop(lease, row).await?;
                if client.affected_rows() != 1 {
                    return Err("the statement changed no row".to_owned().into());
                }
                *at = next;
                done += 1;
            }
            Ok::<u64, Failed>(done)
        });
        let done = self.runtime.block_on(futures_util::future::try_join_all(works));
        done.map(|done| done.iter().sum()).map_err(|Failed(why)| why)
    }
}

struct Failed(String);

impl From<String> for Failed {
    fn from(why: String) -> Failed {
        Failed(why)
    }
}

impl From<mysql_async::Error> for Failed {
    fn from(error: mysql_async::Error) -> Failed {
        Failed(error.to_string())
    }
}

fn tag(number: usize) -> String {
    format!("whole{number}")
}
