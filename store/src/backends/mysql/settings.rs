//! What a MySQL or MariaDB server must be, and its values as it sends and takes them.

use std::borrow::Cow;
use std::sync::Arc;

use leafid_core::{Code, Token};
use mysql_async::consts::ColumnType;
use mysql_async::{Error, Value as Sent};

use crate::backends::remote::{Row, refuse_risks};
use crate::problem::Problem;
use leafid_turn::sql::columns::Value;

/// The first MySQL that looks at what a column is declared to hold.
const OLDEST_MYSQL: (u32, u32, u32) = (8, 0, 16);
/// The oldest MariaDB that its makers mended when this was written, the year 2025.
const OLDEST_MARIADB: (u32, u32, u32) = (10, 5, 0);

pub fn is_mariadb(version: &str) -> bool {
    version.contains("MariaDB")
}

pub fn judge(
    place: &str,
    version: &str,
    row: Option<&Row>,
    foreign: Option<(String, String)>,
    allow_unsafe: bool,
) -> Result<(), Problem> {
    let refuse = |detail| Err(Problem::new(Code::StoreRefused, detail));
    let (name, oldest) = match is_mariadb(version) {
        true => ("MariaDB", OLDEST_MARIADB),
        false => ("MySQL", OLDEST_MYSQL),
    };
    if parts(version) < oldest {
        let (major, minor, patch) = oldest;
        return refuse(format!(
            "{place} is {name} {version}, and {major}.{minor}.{patch} is the oldest that is used; \
             upgrade it"
        ));
    }
    let number = |at: usize| row.and_then(|row| row.int(at).ok()).unwrap_or(0);
    if number(3) != 0 {
        return refuse(format!(
            "{place} has read_only on, as a replica has, which follows another server; name the \
             primary, or set it off"
        ));
    }
    if let Some((table, engine)) = foreign {
        return refuse(format!(
            "{place} keeps its table `{table}` in {engine}, which has no transactions; move it: ALTER \
             TABLE {table} ENGINE = InnoDB"
        ));
    }
    let (flush, log, sync) = (number(0), number(1), number(2));
    let risks = [
        (flush != 1, format!("innodb_flush_log_at_trx_commit = {flush}"), "set it to 1"),
        (log != 0 && sync != 1, format!("sync_binlog = {sync}"), "set it to 1"),
    ];
    refuse_risks(place, risks, allow_unsafe)
}

/// `10.11.6-MariaDB…`, `8.4.2-…`; MariaDB may put `5.5.5-` before it, for clients of old.
fn parts(version: &str) -> (u32, u32, u32) {
    let version = version.strip_prefix("5.5.5-").unwrap_or(version);
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
    let mut numbers =
        version.get(..end).unwrap_or("").split('.').map(|part| part.parse().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    (next(), next(), next())
}

/// The value of a parameter.
pub fn param(name: &str, value: Option<&Value<'static>>) -> Result<Sent, Error> {
    Ok(match value {
        Some(Value::Null) => Sent::NULL,
        Some(Value::Int(value)) => Sent::Int(*value),
        Some(Value::Flag(value)) => Sent::Int((*value).into()),
        Some(Value::Text(value)) => Sent::Bytes(value.as_bytes().to_vec()),
        Some(Value::Token(value)) => Sent::Bytes(value.bytes().to_vec()),
        Some(Value::TooLarge(_)) | None => {
            let why = format!("`{name}` has no value that a column holds: {value:?}");
            return Err(Error::Other(why.into()));
        }
    })
}

/// A row that was read. What is no value of ours is null.
pub fn row(row: &mysql_async::Row, names: &Arc<[String]>) -> Row {
    let columns = row.columns_ref().iter().enumerate();
    let values = columns.map(|(at, column)| match row.as_ref(at) {
        Some(Sent::Int(value)) => Value::Int(*value),
        Some(Sent::UInt(value)) => i64::try_from(*value).map_or(Value::Null, Value::Int),
        Some(Sent::Bytes(bytes)) => bytes_of(column.column_type(), bytes),
        _ => Value::Null,
    });
    Row::new(Arc::clone(names), values.collect())
}

/// Of what is sent as bytes only a token has a fixed length.
fn bytes_of(kind: ColumnType, bytes: &[u8]) -> Value<'static> {
    match (kind, <[u8; 16]>::try_from(bytes)) {
        (ColumnType::MYSQL_TYPE_STRING, Ok(token)) => Value::Token(Token::new(token)),
        _ => match String::from_utf8(bytes.to_vec()) {
            Ok(text) => Value::Text(Cow::Owned(text)),
            Err(_) => Value::Null,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use leafid_turn::sql::columns::Value;

    #[test]
    fn versions_are_numbers() {
        for (text, gives) in [
            ("10.11.6-MariaDB-0+deb12u1", (10, 11, 6)),
            ("5.5.5-10.4.1-MariaDB", (10, 4, 1)),
            ("8.0.36", (8, 0, 36)),
            ("8.4.2-aurora", (8, 4, 2)),
            ("nonsense", (0, 0, 0)),
        ] {
            assert_eq!(parts(text), gives, "{text}");
        }
    }

    #[test]
    fn what_loses_an_answered_lease_is_named() {
        let row = |values: [i64; 4]| Row::new(Arc::default(), values.map(Value::Int).to_vec());
        let judged = |version: &str, values, unsafe_| {
            judge("mysql://h/d", version, Some(&row(values)), None, unsafe_)
        };
        let modern = "10.11.6-MariaDB";
        assert_eq!(judged(modern, [1, 0, 0, 0], false), Ok(()));
        assert_eq!(judged(modern, [1, 1, 1, 0], false), Ok(()));
        for (version, values, name, passes) in [
            (modern, [0, 0, 0, 0], "innodb_flush_log_at_trx_commit = 0", true),
            (modern, [2, 0, 0, 0], "innodb_flush_log_at_trx_commit = 2", true),
            (modern, [1, 1, 0, 0], "sync_binlog = 0", true),
            (modern, [1, 0, 0, 1], "read_only", false),
            ("5.7.44", [1, 0, 0, 0], "8.0.16", false),
            ("10.4.9-MariaDB", [1, 0, 0, 0], "10.5.0", false),
        ] {
            let problem = judged(version, values, false).unwrap_err();
            assert!(
                problem.code == Code::StoreRefused && problem.detail.contains(name),
                "{problem}"
            );
            assert_eq!(judged(version, values, true).is_ok(), passes, "{name}");
        }
        let foreign = Some(("tags".to_owned(), "MyISAM".to_owned()));
        let problem = judge("m", modern, Some(&row([1, 0, 0, 0])), foreign, true).unwrap_err();
        assert!(problem.detail.contains("`tags` in MyISAM"), "{problem}");
    }
}
