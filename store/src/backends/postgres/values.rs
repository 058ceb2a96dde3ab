//! Converts values to and from PostgreSQL's, by the types of its columns.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use bytes::BytesMut;
use leafid_core::Token;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::backends::remote::Row;
use leafid_turn::sql::columns::Value;

type Wrong = Box<dyn Error + Sync + Send>;

pub fn row(row: &tokio_postgres::Row, names: &Arc<[String]>) -> Result<Row, tokio_postgres::Error> {
    let values = (0..row.len()).map(|at| row.try_get(at).map(|Found(value)| value));
    Ok(Row::new(Arc::clone(names), values.collect::<Result<_, _>>()?))
}

#[derive(Debug)]
pub struct Param<'v>(pub Option<&'v Value<'static>>);

impl ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Wrong> {
        match (self.0, ty) {
            (Some(Value::Null), _) => Ok(IsNull::Yes),
            (Some(Value::Int(value)), &Type::INT8) => value.to_sql(ty, out),
            (Some(Value::Int(value)), &Type::INT4) => i32::try_from(*value)?.to_sql(ty, out),
            (Some(Value::Int(value)), &Type::INT2) => i16::try_from(*value)?.to_sql(ty, out),
            (Some(Value::Flag(value)), &Type::BOOL) => value.to_sql(ty, out),
            (Some(Value::Text(value)), _) => value.as_ref().to_sql(ty, out),
            (Some(Value::Token(value)), &Type::BYTEA) => value.bytes().as_slice().to_sql(ty, out),
            (value, ty) => Err(format!("{value:?} cannot be sent as {ty}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

struct Found(Value<'static>);

impl FromSql<'_> for Found {
    fn from_sql(ty: &Type, raw: &[u8]) -> Result<Found, Wrong> {
        Ok(Found(match *ty {
            Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Value::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT2 => Value::Int(i16::from_sql(ty, raw)?.into()),
            Type::BOOL => Value::Int(bool::from_sql(ty, raw)?.into()),
            Type::BYTEA => Value::Token(Token::new(raw.try_into()?)),
            _ => Value::Text(Cow::Owned(String::from_sql(ty, raw)?)),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Found, Wrong> {
        Ok(Found(Value::Null))
    }

    fn accepts(ty: &Type) -> bool {
        matches!(*ty, Type::INT8 | Type::INT4 | Type::INT2 | Type::BOOL | Type::BYTEA)
            || <String as FromSql>::accepts(ty)
    }
}
