//! IDs with the type of what they name.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

/// The ID of a `T`: an `i64` that is no ID of anything else.
///
/// ```
/// struct Order;
/// let orders = leafid::Segment::builder("orders").store("memory:").build()?;
/// let id: leafid::Id<Order> = orders.next()?.into();
/// assert_eq!(id.to_string().parse(), Ok(id));
/// # Ok::<(), leafid::Error>(())
/// ```
///
/// With the feature `serde` it is a text in JSON, because JavaScript rounds numbers above 2^53;
/// `#[serde(with = "leafid::number")]` on a field makes it a number. With `sqlx`, `sea-orm` and `diesel` it is the
/// `BIGINT` of a column.
#[repr(transparent)]
pub struct Id<T: ?Sized>(i64, PhantomData<fn() -> T>);

impl<T: ?Sized> Id<T> {
    /// The number as an ID.
    ///
    /// ```
    /// struct Order;
    /// const FIRST: leafid::Id<Order> = leafid::Id::new(1);
    /// ```
    pub const fn new(id: i64) -> Id<T> {
        Id(id, PhantomData)
    }

    /// The number.
    ///
    /// ```
    /// struct Order;
    /// assert_eq!(leafid::Id::<Order>::new(7).get(), 7);
    /// ```
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl<T: ?Sized> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Id<T> {}

impl<T: ?Sized> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: ?Sized> Eq for Id<T> {}

impl<T: ?Sized> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: ?Sized> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<T: ?Sized> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<T: ?Sized> fmt::Debug for Id<T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Id({})", self.0)
    }
}

impl<T: ?Sized> fmt::Display for Id<T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(to)
    }
}

impl<T: ?Sized> FromStr for Id<T> {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Id::new)
    }
}

impl<T: ?Sized> From<i64> for Id<T> {
    fn from(id: i64) -> Self {
        Id::new(id)
    }
}

impl<T: ?Sized> From<Id<T>> for i64 {
    fn from(id: Id<T>) -> Self {
        id.0
    }
}

#[cfg(feature = "diesel")]
mod diesel;
#[cfg(feature = "sea-orm")]
mod sea_orm;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "sqlx")]
mod sqlx;

#[cfg(feature = "serde")]
pub use serde::number;
