//! Reads the greatest number in use from an application's table, by the application's own query.

#[cfg(feature = "sql")]
pub(crate) mod remote;

use std::path::Path;
use std::time::Duration;

use leafid_core::Code;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::json::shown;
use crate::problem::Problem;

/// Runs the query in a SQLite file; it must give one row with one number, or null for an empty table.
///
/// # Errors
/// `REQUEST_INVALID` for a query that the database refuses or that gives anything else, such as a text
/// or a float.
pub fn of_file(path: &Path, sql: &str) -> Result<Option<i64>, Problem> {
    one(&in_file(path, sql).map_err(|error| refused(&error.to_string()))?, "INTEGER")
}

/// The number of the only row; `whole` is the database's name for an integer type.
fn one(values: &[Given], whole: &str) -> Result<Option<i64>, Problem> {
    match values {
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

struct Given {
    text: Option<String>,
    /// The database's name of its type, if that is not one of exact numbers.
    odd: Option<String>,
}

type Values = Vec<Given>;

fn refused(said: &str) -> Problem {
    Problem::new(Code::RequestInvalid, format!("the query of --from-max was refused: {said}"))
}

fn gives(what: &str) -> Problem {
    Problem::new(Code::RequestInvalid, format!("the query of --from-max gives {what}"))
}

fn other(what: &str) -> Problem {
    let needs = "it has to give one whole number, as in SELECT max(id) FROM orders";
    gives(&format!("{what}; {needs}"))
}

fn in_file(path: &Path, sql: &str) -> rusqlite::Result<Values> {
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
