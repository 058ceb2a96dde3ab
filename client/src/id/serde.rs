//! `serde`: a text where people read it, else a number.

use std::fmt;
use std::marker::PhantomData;

use ::serde::de::{Error, Visitor};
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Id;

impl<T: ?Sized> Serialize for Id<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() { to.collect_str(self) } else { to.serialize_i64(self.0) }
    }
}

impl<'de, T: ?Sized> Deserialize<'de> for Id<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if from.is_human_readable() {
            from.deserialize_any(Either(PhantomData))
        } else {
            i64::deserialize(from).map(Id::new)
        }
    }
}

/// Reads both forms.
struct Either<T: ?Sized>(PhantomData<fn() -> T>);

impl<T: ?Sized> Visitor<'_> for Either<T> {
    type Value = Id<T>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an ID, as a number or a text")
    }

    fn visit_i64<E: Error>(self, id: i64) -> Result<Id<T>, E> {
        Ok(Id::new(id))
    }

    fn visit_u64<E: Error>(self, id: u64) -> Result<Id<T>, E> {
        i64::try_from(id).map(Id::new).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Id<T>, E> {
        text.parse().map_err(E::custom)
    }
}

/// A field's ID as a number, also in JSON.
///
/// ```
/// use leafid::Id;
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Order {
///     id: Id<Order>,
///     #[serde(with = "leafid::number")]
///     parent: Id<Order>,
/// }
/// let order = Order { id: Id::new(7), parent: Id::new(5) };
/// assert_eq!(serde_json::to_string(&order).unwrap(), r#"{"id":"7","parent":5}"#);
/// ```
pub mod number {
    use super::{Deserialize, Deserializer, Id, Serializer};

    /// Writes the number.
    ///
    /// # Errors
    /// The serializer's.
    pub fn serialize<T: ?Sized, S: Serializer>(id: &Id<T>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(id.get())
    }

    /// Reads a number or a text.
    ///
    /// # Errors
    /// The deserializer's.
    pub fn deserialize<'de, T: ?Sized, D: Deserializer<'de>>(from: D) -> Result<Id<T>, D::Error> {
        Id::deserialize(from)
    }
}
