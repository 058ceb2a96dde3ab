//! The greatest number that a table of an application has, asked by that application's own query. It is
//! read, and nothing else.

use std::path::Path;
use std::time::Duration;

use leafid_core::Code;
use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use tokio_postgres::{NoTls, SimpleQueryMessage};

use super::{mysql, postgres};
use crate::json::shown;
use crate::problem::Problem;

/// So long the query may take: without an index it reads all of the table.
const PATIENCE: Duration = Duration::from_secs(300);

/// Where the table is.
#[derive(Clone, Debug)]
pub enum Place<'a> {
    /// In a SQLite file.
    File(&'a Path),
    /// In PostgreSQL.
    Postgres(&'a postgres::Address),
    /// In MySQL or MariaDB.
    Mysql(&'a mysql::Address),
}

/// What the query gives: one row with one number, or null where the table is empty.
///
/// # Errors
/// `REQUEST_INVALID` for a query that the database refuses or that gives anything else,
/// `STORE_UNAVAILABLE` where it does not answer.
pub fn greatest(place: &Place<'_>, sql: &str) -> Result<Option<i64>, Problem> {
    let rows = match place {
        Place::File(path) => of_file(path, sql).map_err(|error| refused(&error.to_string()))?,
        Place::Postgres(address) => wait(of_postgres(address, sql))?,
        Place::Mysql(address) => wait(of_mysql(address, sql))?,
    };
    match &rows[..] {
        [Some(text)] => text.parse().map(Some).map_err(|_| other(&format!("`{}`", shown(text)))),
        [None] => Ok(None),
        rows => Err(other(&format!("{} values", rows.len()))),
    }
}

/// The values of all rows and columns, each as text.
type Values = Vec<Option<String>>;

fn refused(said: &str) -> Problem {
    Problem::new(Code::RequestInvalid, format!("the query of --from-max was refused: {said}"))
}

fn away(said: &str) -> Problem {
    Problem::unavailable(format!("the database of --from-max does not answer: {said}"))
}

fn other(gives: &str) -> Problem {
    let detail = format!(
        "the query of --from-max gives {gives}; it gives one whole number, as in SELECT max(id) FROM \
         orders"
    );
    Problem::new(Code::RequestInvalid, detail)
}

fn wait(asked: impl Future<Output = Result<Values, Problem>>) -> Result<Values, Problem> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Problem::new(Code::Internal, format!("no runtime: {error}")))?;
    runtime.block_on(async {
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(values) => values,
            Err(_) => Err(away(&format!("no answer in {} s", PATIENCE.as_secs()))),
        }
    })
}

fn of_file(path: &Path, sql: &str) -> rusqlite::Result<Values> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    let mut values = Vec::new();
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            values.push(match row.get_ref(column)? {
                ValueRef::Null => None,
                ValueRef::Integer(number) => Some(number.to_string()),
                ValueRef::Real(number) => Some(number.to_string()),
                ValueRef::Text(text) | ValueRef::Blob(text) => {
                    Some(String::from_utf8_lossy(text).into_owned())
                }
            });
        }
    }
    Ok(values)
}

async fn of_postgres(address: &postgres::Address, sql: &str) -> Result<Values, Problem> {
    let said = |error: tokio_postgres::Error| match error.as_db_error() {
        Some(said) => refused(said.message()),
        None => away(&error.to_string()),
    };
    let (client, connection) = address.config.connect(NoTls).await.map_err(said)?;
    let carried = tokio::spawn(connection);
    client.batch_execute("SET default_transaction_read_only = on").await.map_err(said)?;
    let messages = client.simple_query(sql).await.map_err(said)?;
    drop(client);
    carried.abort();
    let mut values = Vec::new();
    for message in &messages {
        if let SimpleQueryMessage::Row(row) = message {
            values.extend((0..row.len()).map(|column| row.get(column).map(str::to_owned)));
        }
    }
    Ok(values)
}

async fn of_mysql(address: &mysql::Address, sql: &str) -> Result<Values, Problem> {
    let said = |error: mysql_async::Error| match error {
        mysql_async::Error::Server(said) => refused(&said.message),
        error => away(&error.to_string()),
    };
    let mut connection = Conn::new(address.options.clone()).await.map_err(said)?;
    connection.query_drop("START TRANSACTION READ ONLY").await.map_err(said)?;
    let rows: Vec<mysql_async::Row> = connection.query(sql).await.map_err(said)?;
    // It was read: how the connection ends changes nothing.
    let _ = connection.disconnect().await;
    let value = |value: mysql_async::Value| match value {
        mysql_async::Value::NULL => None,
        mysql_async::Value::Bytes(text) => Some(String::from_utf8_lossy(&text).into_owned()),
        value => Some(value.as_sql(true)),
    };
    Ok(rows.into_iter().flat_map(mysql_async::Row::unwrap).map(value).collect())
}
