//! Databases that speak SQL: the one statement that leases numbers, as the floor; and the statement that
//! the server sends, by itself. That writes a row only if the whole of it is as it was read, and its
//! session gives up before the server does. Each connection of that has a tag of its own, so that none
//! loses a race. Both are sent by the client crate that the server uses.

use std::path::Path;

use leafid_benches::Outcome;
use leafid_benches::connection::runtime;
use leafid_servers::Databases;
use mysql_async::prelude::Queryable;
use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;

use crate::sending::{Make, Work, again};
use crate::{measure, start};

const STEP: i64 = 10;
const MOST: i64 = 1_000_000;

/// Measures one; each change of a tag's row adds one to the count that `changes` selects.
pub fn over<S: Databases>(binary: &Path, changes: &str, bare: Make, own: Make) -> Outcome {
    let server = start::<S>()?;
    let url = server.make_database("bench")?;
    let also = Some(("the server's statement, by itself", own));
    measure(S::NAME, &url, binary, bare, also, || {
        let said = server.run("bench", changes)?;
        said.trim().parse().map_err(|_| format!("expected a count of commits, got `{said}`"))
    })
}

/// The bare statement over tokio-postgres.
pub fn bare_postgres(url: &str, connections: usize) -> Outcome<Work<'static>> {
    let lease = "UPDATE leafid.tags SET max_id = max_id + $1 WHERE tag = 'bare' RETURNING max_id";
    let (runtime, clients) = postgres(url, connections, "", lease)?;
    Ok(Box::new(move |many, length| {
        again(&runtime, clients.iter().take(many), length, async |(client, statement)| {
            client.query_one(statement, &[&STEP]).await.map(drop)
        })
    }))
}

/// The server's statement over tokio-postgres.
pub fn own_postgres(url: &str, connections: usize) -> Outcome<Work<'static>> {
    let lease = "UPDATE tags SET max_id = $1, step = $2, max_step = $3, deleted = $4, until = $5 \
                 WHERE tag = $6 AND max_id = $7 AND step = $8 AND max_step = $9 \
                 AND deleted = $10 AND until IS NOT DISTINCT FROM $11 \
                 RETURNING floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    let session = "SET search_path = leafid; SET lock_timeout = 2000; SET statement_timeout = 3000; \
                   SET idle_in_transaction_session_timeout = 3000";
    let (runtime, clients) = postgres(url, connections, session, lease)?;
    let make = async {
        for (number, (client, _)) in clients.iter().enumerate() {
            let make = "INSERT INTO leafid.tags VALUES ($1, 1, $2, $3, false, null)";
            client.execute(make, &[&tag(number), &STEP, &MOST]).await?;
        }
        Ok::<_, tokio_postgres::Error>(())
    };
    runtime.block_on(make).map_err(|error| error.to_string())?;
    let mut stands_at = vec![1; connections];
    Ok(Box::new(move |many, length| {
        let clients = clients.iter().zip(&mut stands_at).enumerate().take(many);
        again(&runtime, clients, length, async |(number, ((client, statement), at))| {
            let (tag, none, next) = (tag(*number), None::<i64>, **at + STEP);
            let row: [&(dyn ToSql + Sync); 11] =
                [&next, &STEP, &MOST, &false, &none, &tag, *at, &STEP, &MOST, &false, &none];
            client.query_one(statement, &row).await?;
            **at = next;
            Ok::<(), tokio_postgres::Error>(())
        })
    }))
}

/// The bare statement over mysql_async.
pub fn bare_mysql(url: &str, connections: usize) -> Outcome<Work<'static>> {
    let (runtime, mut clients) = mysql(url, connections)?;
    Ok(Box::new(move |many, length| {
        again(&runtime, clients.iter_mut().take(many), length, async |client| {
            let lease = "UPDATE tags SET max_id = LAST_INSERT_ID(max_id + ?) WHERE tag = 'bare'";
            client.exec_drop(lease, (STEP,)).await
        })
    }))
}

/// The server's statement over mysql_async.
pub fn own_mysql(url: &str, connections: usize) -> Outcome<Work<'static>> {
    let (runtime, mut clients) = mysql(url, connections)?;
    let make = async {
        for (number, client) in clients.iter_mut().enumerate() {
            let session = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";
            client.query_drop(session).await?;
            let session = "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', \
                           innodb_lock_wait_timeout = 2, max_statement_time = 3, \
                           idle_transaction_timeout = 3";
            client.query_drop(session).await?;
            let make =
                "INSERT INTO tags (tag, max_id, step, max_step, deleted) VALUES (?, 1, ?, ?, 0)";
            client.exec_drop(make, (tag(number), STEP, MOST)).await?;
        }
        Ok::<_, mysql_async::Error>(())
    };
    runtime.block_on(make).map_err(|error| error.to_string())?;
    let mut stands_at = vec![1; connections];
    Ok(Box::new(move |many, length| {
        let clients = clients.iter_mut().zip(&mut stands_at).enumerate().take(many);
        again(&runtime, clients, length, async |(number, (client, at))| {
            let lease = "UPDATE tags SET max_id = ? + 0 * LAST_INSERT_ID(CAST(FLOOR(\
                         UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS SIGNED)), step = ?, max_step = ?, \
                         deleted = ?, `until` = ? WHERE tag = ? AND max_id = ? AND step = ? \
                         AND max_step = ? AND deleted = ? AND `until` <=> ?";
            let told = |error: mysql_async::Error| error.to_string();
            let row = |at: i64| [at.into(), STEP.into(), MOST.into(), 0.into(), None::<i64>.into()];
            let next = **at + STEP;
            let mut values: Vec<mysql_async::Value> = row(next).into();
            values.push(tag(*number).into());
            values.extend(row(**at));
            client.exec_drop(lease, values).await.map_err(told)?;
            if client.affected_rows() != 1 {
                return Err("the statement changed no row".to_owned());
            }
            **at = next;
            Ok(())
        })
    }))
}

type Postgresqls = Vec<(tokio_postgres::Client, tokio_postgres::Statement)>;

/// So many connections that send this statement in sessions that begin with these words; on one thread, as
/// the server has for its store.
fn postgres(
    url: &str,
    connections: usize,
    session: &str,
    lease: &str,
) -> Outcome<(Runtime, Postgresqls)> {
    let runtime = runtime()?;
    let connect = async {
        let mut clients = Vec::new();
        for _ in 0..connections {
            let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
            tokio::spawn(connection);
            client.batch_execute(session).await?;
            let statement = client.prepare(lease).await?;
            clients.push((client, statement));
        }
        Ok::<_, tokio_postgres::Error>(clients)
    };
    let clients = runtime.block_on(connect).map_err(|error| error.to_string())?;
    Ok((runtime, clients))
}

fn mysql(url: &str, connections: usize) -> Outcome<(Runtime, Vec<mysql_async::Conn>)> {
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
    Ok((runtime, clients))
}

fn tag(number: usize) -> String {
    format!("whole{number}")
}
