//! The greatest number that a table of an application has, asked by that application's own query. It is
//! read, and nothing else.

use std::path::Path;
use std::time::Duration;

use leafid_core::Code;
use mysql_async::Conn;
use mysql_async::consts::ColumnType;
use mysql_async::prelude::Queryable;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use tokio_postgres::types::Type;
use tokio_postgres::{NoTls, SimpleQueryMessage};

use super::{mysql, postgres};
use crate::json::shown;
use crate::problem::Problem;

/// How long the query may take: without an index it reads all of the table.
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
/// `REQUEST_INVALID` for a query that the database refuses or that gives anything else, such as a text
/// or a float, `STORE_UNAVAILABLE` where it does not answer.
pub fn greatest(place: &Place<'_>, sql: &str) -> Result<Option<i64>, Problem> {
    let (values, whole) = match place {
        Place::File(path) => {
            (of_file(path, sql).map_err(|error| refused(&error.to_string()))?, "INTEGER")
        }
        Place::Postgres(address) => (wait(of_postgres(address, sql))?, "BIGINT"),
        Place::Mysql(address) => (wait(of_mysql(address, sql))?, "SIGNED"),
    };
    match &values[..] {
        [Given { text: None, .. }] => Ok(None),
        [Given { text: Some(text), odd: None }] => {
            text.parse().map(Some).map_err(|_| other(&format!("`{}`", shown(text))))
        }
        [Given { text: Some(text), odd: Some(kind) }] => Err(gives(&format!(
            "`{}`, of type {kind}: the greatest text is not the greatest number (`999` comes after \
             `1000`), and a float is rounded; make it a whole number before max() compares: SELECT \
             max(CAST(id AS {whole})) FROM orders",
            shown(text)
        ))),
        values => Err(other(&format!("{} values", values.len()))),
    }
}

/// A value of a row.
struct Given {
    /// As text; none where it is null.
    text: Option<String>,
    /// What the database calls its type, where that is not one of whole or exact numbers.
    odd: Option<String>,
}

/// The values of all rows and columns.
type Values = Vec<Given>;

fn refused(said: &str) -> Problem {
    Problem::new(Code::RequestInvalid, format!("the query of --from-max was refused: {said}"))
}

fn away(said: &str) -> Problem {
    Problem::unavailable(format!("the database of --from-max does not answer: {said}"))
}

fn gives(what: &str) -> Problem {
    Problem::new(Code::RequestInvalid, format!("the query of --from-max gives {what}"))
}

fn other(what: &str) -> Problem {
    let needs = "it has to give one whole number, as in SELECT max(id) FROM orders";
    gives(&format!("{what}; {needs}"))
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
            let value = row.get_ref(column)?;
            let text = match value {
                ValueRef::Null => None,
                ValueRef::Integer(number) => Some(number.to_string()),
                ValueRef::Real(number) => Some(number.to_string()),
                ValueRef::Text(text) | ValueRef::Blob(text) => {
                    Some(String::from_utf8_lossy(text).into_owned())
                }
            };
            let is_whole = matches!(value, ValueRef::Null | ValueRef::Integer(_));
            let odd = (!is_whole).then(|| value.data_type().to_string().to_lowercase());
            values.push(Given { text, odd });
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
    let columns = client.prepare(sql).await.map_err(said)?;
    let odd: Vec<Option<String>> =
        columns.columns().iter().map(|column| odd_of(column.type_())).collect();
    drop(columns);
    let messages = client.simple_query(sql).await.map_err(said)?;
    drop(client);
    carried.abort();
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

/// The name of a type whose order or whose values are not those of exact numbers.
fn odd_of(kind: &Type) -> Option<String> {
    let exact = [Type::INT2, Type::INT4, Type::INT8, Type::NUMERIC, Type::OID];
    (!exact.contains(kind)).then(|| kind.name().to_owned())
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

/// The name of a type whose order or whose values are not those of exact numbers.
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
