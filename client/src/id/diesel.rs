//! `diesel`: a `BIGINT`.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow, FromStaticSqlRow, Queryable};
use diesel::expression::{AsExpression, TypedExpressionType};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{BigInt, Nullable, SqlType};

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

/// For a column that may be `NULL`, too.
impl<T: ?Sized, S: SqlType + TypedExpressionType> AsExpression<S> for Id<T>
where
    i64: AsExpression<S>,
{
    type Expression = <i64 as AsExpression<S>>::Expression;

    fn as_expression(self) -> Self::Expression {
        self.0.as_expression()
    }
}

impl<T: ?Sized, S: SqlType + TypedExpressionType> AsExpression<S> for &Id<T>
where
    i64: AsExpression<S>,
{
    type Expression = <i64 as AsExpression<S>>::Expression;

    fn as_expression(self) -> Self::Expression {
        self.0.as_expression()
    }
}

// As `Insertable` wants it of a field `Option<Id<T>>`.
const _: () = {
    const fn fits<T: AsExpression<Nullable<BigInt>>>() {}
    fits::<Id<()>>();
    fits::<&Id<()>>();
};
