//! `diesel`: a `BIGINT`.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow, FromStaticSqlRow, Queryable};
use diesel::expression::AsExpression;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::BigInt;

use super::Id;

impl<T: ?Sized, D: Backend> FromSql<BigInt, D> for Id<T>
where
    i64: FromSql<BigInt, D>,
{
    fn from_sql(value: D::RawValue<'_>) -> deserialize::Result<Self> {
        i64::from_sql(value).map(Id::new)
    }
}

impl<T: ?Sized, D: Backend> Queryable<BigInt, D> for Id<T>
where
    i64: FromStaticSqlRow<BigInt, D> + FromSqlRow<BigInt, D>,
{
    type Row = i64;

    fn build(id: i64) -> deserialize::Result<Self> {
        Ok(Id::new(id))
    }
}

impl<T: ?Sized, D: Backend> ToSql<BigInt, D> for Id<T>
where
    i64: ToSql<BigInt, D>,
{
    fn to_sql<'b>(&'b self, to: &mut Output<'b, '_, D>) -> serialize::Result {
        self.0.to_sql(to)
    }
}

impl<T: ?Sized> AsExpression<BigInt> for Id<T> {
    type Expression = <i64 as AsExpression<BigInt>>::Expression;

    fn as_expression(self) -> Self::Expression {
        <i64 as AsExpression<BigInt>>::as_expression(self.0)
    }
}

impl<T: ?Sized> AsExpression<BigInt> for &Id<T> {
    type Expression = <i64 as AsExpression<BigInt>>::Expression;

    fn as_expression(self) -> Self::Expression {
        <i64 as AsExpression<BigInt>>::as_expression(self.0)
    }
}
