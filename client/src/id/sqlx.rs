//! `sqlx`: a `BIGINT`.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::{Database, Decode, Encode, Type};

use super::Id;

impl<T: ?Sized, D: Database> Type<D> for Id<T>
where
    i64: Type<D>,
{
    fn type_info() -> D::TypeInfo {
        <i64 as Type<D>>::type_info()
    }

    fn compatible(of: &D::TypeInfo) -> bool {
        <i64 as Type<D>>::compatible(of)
    }
}

impl<'q, T: ?Sized, D: Database> Encode<'q, D> for Id<T>
where
    i64: Encode<'q, D>,
{
    fn encode_by_ref(&self, to: &mut D::ArgumentBuffer<'q>) -> Result<IsNull, BoxDynError> {
        self.0.encode_by_ref(to)
    }
}

impl<'r, T: ?Sized, D: Database> Decode<'r, D> for Id<T>
where
    i64: Decode<'r, D>,
{
    fn decode(value: D::ValueRef<'r>) -> Result<Self, BoxDynError> {
        i64::decode(value).map(Id::new)
    }
}
