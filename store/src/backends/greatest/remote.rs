//! Reads the greatest number in use from PostgreSQL and MySQL.

use std::time::Duration;

use mysql_async::Conn;
use mysql_async::consts::ColumnType;
use mysql_async::prelude::Queryable;
use tokio_postgres::SimpleQueryMessage;
use tokio_postgres::types::Type;

use super::{Given, Values, one, refused};
use crate::backends::link::{Breakage, Broken, Kind};
use crate::backends::opening::apart;
use crate::backends::{mysql, postgres};
use crate::problem::Problem;

/// The time-out of the query, which reads the whole table if it has no index.
const PATIENCE: Duration = Duration::from_secs(300);

/// As [`of_file`](super::of_file), in PostgreSQL.
///
/// # Errors
/// As there, and `STORE_UNAVAILABLE` where it does not answer.
pub fn of_postgres(address: &postgres::Address, sql: &str) -> Result<Option<i64>, Problem> {
    one(&wait(in_postgres(address, sql))?, "BIGINT")
}

/// As [`of_file`](super::of_file), in MySQL or MariaDB.
///
/// # Errors
/// As [`of_postgres`].
pub fn of_mysql(address: &mysql::Address, sql: &str) -> Result<Option<i64>, Problem> {
    one(&wait(in_mysql(address, sql))?, "SIGNED")
}

fn away(said: &str) -> Problem {
    Problem::unavailable(format!("the database of --from-max does not answer: {said}"))
}

fn wait(asked: impl Future<Output = Result<Values, Problem>> + Send) -> Result<Values, Problem> {
    apart(|| async {
        let late = || Err(away(&format!("no answer in {} s", PATIENCE.as_secs())));
        tokio::time::timeout(PATIENCE, asked).await.unwrap_or_else(|_| late())
    })?
}

async fn in_postgres(address: &postgres::Address, sql: &str) -> Result<Values, Problem> {
    let said = |error: tokio_postgres::Error| match error.as_db_error() {
        Some(said) => refused(said.message()),
        None => away(&error.to_string()),
    };
    let unconnected = |Broken { kind, detail }: Broken| match kind {
        Breakage::Of(Kind::Lost) | Breakage::Untrusted => away(&detail),
        _ => refused(&detail),
    };
    let client = postgres::client(address).await.map_err(unconnected)?;
    client.batch_execute("SET default_transaction_read_only = on").await.map_err(said)?;
    let columns = client.prepare(sql).await.map_err(said)?;
    let odd: Vec<Option<String>> =
        columns.columns().iter().map(|column| odd_of(column.type_())).collect();
    let messages = client.simple_query(sql).await.map_err(said)?;
    let mut values = Vec::new();
    for message in &messages {
        if let SimpleQueryMessage::Row(row) = message {
            values.extend((0..row.len()).map(|column| Given {
                text: row.get(column).map(str::to_owned),
                odd: odd.get(column).cloned().flatten(),
            }));
        }
    }
    Ok(values)
}

/// The name of a type that does not sort as exact numbers or has other values.
fn odd_of(kind: &Type) -> Option<String> {
    let exact = [Type::INT2, Type::INT4, Type::INT8, Type::NUMERIC, Type::OID];
    (!exact.contains(kind)).then(|| kind.name().to_owned())
}

async fn in_mysql(address: &mysql::Address, sql: &str) -> Result<Values, Problem> {
    let said = |error: mysql_async::Error| match error {
        mysql_async::Error::Server(said) => refused(&said.message),
        error => away(&error.to_string()),
    };
    let mut connection = Conn::new(address.options.clone()).await.map_err(said)?;
    connection.query_drop("START TRANSACTION READ ONLY").await.map_err(said)?;
    let rows: Vec<mysql_async::Row> = connection.query(sql).await.map_err(said)?;
    // Everything is read, so a failure to disconnect does not matter.
    let _ = connection.disconnect().await;
    let mut values = Vec::new();
    for row in rows {
        let columns = row.columns();
        for (column, value) in columns.iter().zip(row.unwrap()) {
            let text = match value {
                mysql_async::Value::NULL => None,
                mysql_async::Value::Bytes(text) => {
                    Some(String::from_utf8_lossy(&text).into_owned())
                }
                value => Some(value.as_sql(true)),
            };
            values.push(Given { text, odd: odd_column(column.column_type()) });
        }
    }
    Ok(values)
}

/// The name of a type that does not sort as exact numbers or has other values.
fn odd_column(kind: ColumnType) -> Option<String> {
    match kind {
        ColumnType::MYSQL_TYPE_TINY
        | ColumnType::MYSQL_TYPE_SHORT
        | ColumnType::MYSQL_TYPE_INT24
        | ColumnType::MYSQL_TYPE_LONG
        | ColumnType::MYSQL_TYPE_LONGLONG
        | ColumnType::MYSQL_TYPE_DECIMAL
        | ColumnType::MYSQL_TYPE_NEWDECIMAL => None,
        kind => Some(format!("{kind:?}").trim_start_matches("MYSQL_TYPE_").to_lowercase()),
    }
}
