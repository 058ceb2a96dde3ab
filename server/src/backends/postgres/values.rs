//! Values as PostgreSQL sends and takes them, by the types of its columns.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::backends::remote::{Row, Value};

type Wrong = Box<dyn Error + Sync + Send>;

/// A row that was read.
pub fn row(row: &tokio_postgres::Row) -> Result<Row, tokio_postgres::Error> {
    (0..row.len()).map(|at| row.try_get(at)).collect()
}

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Wrong> {
        match (self, ty) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Int(value), &Type::INT8) => value.to_sql(ty, out),
            (Value::Int(value), &Type::INT4) => i32::try_from(*value)?.to_sql(ty, out),
            (Value::Int(value), &Type::INT2) => i16::try_from(*value)?.to_sql(ty, out),
            (Value::Flag(value), &Type::BOOL) => value.to_sql(ty, out),
            (Value::Text(value), _) => value.to_sql(ty, out),
            (Value::Bytes(value), &Type::BYTEA) => value.to_sql(ty, out),
            (value, ty) => Err(format!("{value:?} is no {ty}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl FromSql<'_> for Value {
    fn from_sql(ty: &Type, raw: &[u8]) -> Result<Value, Wrong> {
        Ok(match *ty {
            Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Value::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT2 => Value::Int(i16::from_sql(ty, raw)?.into()),
            Type::BOOL => Value::Flag(bool::from_sql(ty, raw)?),
            Type::BYTEA => Value::Bytes(raw.to_vec()),
            _ => Value::Text(String::from_sql(ty, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Value, Wrong> {
        Ok(Value::Null)
    }

    fn accepts(ty: &Type) -> bool {
        matches!(*ty, Type::INT8 | Type::INT4 | Type::INT2 | Type::BOOL | Type::BYTEA)
            || <String as FromSql>::accepts(ty)
    }
}
