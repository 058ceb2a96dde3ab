//! Converts values to and from those of MySQL and MariaDB.

use std::borrow::Cow;
use std::sync::Arc;

use leafid_core::Token;
use mysql_async::consts::ColumnType;
use mysql_async::{Error, Value as Sent};

use crate::backends::remote::Row;
use leafid_turn::sql::columns::Value;

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

/// Converts a row; a value of a type that we do not use becomes null.
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

/// Tells a token from text: of the byte columns only a token's has a fixed length.
fn bytes_of(kind: ColumnType, bytes: &[u8]) -> Value<'static> {
    match (kind, <[u8; 16]>::try_from(bytes)) {
        (ColumnType::MYSQL_TYPE_STRING, Ok(token)) => Value::Token(Token::new(token)),
        _ => match String::from_utf8(bytes.to_vec()) {
            Ok(text) => Value::Text(Cow::Owned(text)),
            Err(_) => Value::Null,
        },
    }
}
