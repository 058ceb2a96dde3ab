//! `sea-orm`: a `BIGINT`, also as a primary key.

use ::sea_orm::sea_query::{ArrayType, Nullable, ValueType, ValueTypeErr};
use ::sea_orm::{
    ColIdx, ColumnType, DbErr, QueryResult, TryFromU64, TryGetError, TryGetable, Value,
};

use super::Id;

impl<T: ?Sized> From<Id<T>> for Value {
    fn from(id: Id<T>) -> Value {
        Value::BigInt(Some(id.get()))
    }
}

impl<T: ?Sized> TryGetable for Id<T> {
    fn try_get_by<I: ColIdx>(row: &QueryResult, column: I) -> Result<Self, TryGetError> {
        i64::try_get_by(row, column).map(Id::new)
    }
}

impl<T: ?Sized> ValueType for Id<T> {
    fn try_from(value: Value) -> Result<Self, ValueTypeErr> {
        <i64 as ValueType>::try_from(value).map(Id::new)
    }

    fn type_name() -> String {
        "Id".to_owned()
    }

    fn array_type() -> ArrayType {
        ArrayType::BigInt
    }

    fn column_type() -> ColumnType {
        ColumnType::BigInteger
    }
}

impl<T: ?Sized> Nullable for Id<T> {
    fn null() -> Value {
        Value::BigInt(None)
    }
}

impl<T: ?Sized> TryFromU64 for Id<T> {
    fn try_from_u64(id: u64) -> Result<Self, DbErr> {
        i64::try_from_u64(id).map(Id::new)
    }
}
