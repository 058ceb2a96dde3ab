//! SQL databases: the one statement that leases numbers, sent by the client crate that the server uses.

use std::path::Path;

use leafid_benches::Outcome;
use leafid_benches::connection::runtime;
use leafid_servers::Databases;
use mysql_async::prelude::Queryable;
use tokio::runtime::Runtime;

use crate::sending::{Make, Work, again};
use crate::{measure, start};

const STEP: i64 = 10;

/// Measures one engine; `changes` selects a count that grows by one with each change of a tag's row.
pub fn over<S: Databases>(binary: &Path, changes: &str, bare: Make) -> Outcome {
    let server = start::<S>()?;
    let url = server.fresh("bench");
    measure(S::NAME, &url, binary, bare, || {
        let said = server.run("bench", changes)?;
        said.trim().parse().map_err(|_| format!("expected a count of commits, got `{said}`"))
    })
}

/// Sends the bare statement over tokio-postgres.
pub fn bare_postgres(url: &str, connections: usize) -> Outcome<Work<'static>> {
    let lease = "UPDATE leafid.tags SET max_id = max_id + $1 WHERE tag = 'bare' RETURNING max_id";
    let (runtime, clients) = postgres(url, connections, lease)?;
    Ok(Box::new(move |many, length| {
        again(&runtime, clients.iter().take(many), length, async |(client, statement)| {
            client.query_one(statement, &[&STEP]).await.map(drop)
        })
    }))
}

/// Sends the bare statement over `mysql_async`.
pub fn bare_mysql(url: &str, connections: usize) -> Outcome<Work<'static>> {
    let (runtime, mut clients) = mysql(url, connections)?;
    Ok(Box::new(move |many, length| {
        again(&runtime, clients.iter_mut().take(many), length, async |client| {
            let lease = "UPDATE tags SET max_id = LAST_INSERT_ID(max_id + ?) WHERE tag = 'bare'";
            client.exec_drop(lease, (STEP,)).await
        })
    }))
}

type Postgresqls = Vec<(tokio_postgres::Client, tokio_postgres::Statement)>;

/// Opens connections with this statement prepared, on one thread, as the server does.
fn postgres(url: &str, connections: usize, lease: &str) -> Outcome<(Runtime, Postgresqls)> {
    let runtime = runtime()?;
    let connect = async {
        let mut clients = Vec::new();
        for _ in 0..connections {
            let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
            tokio::spawn(connection);
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
