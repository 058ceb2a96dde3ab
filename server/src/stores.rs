//! The storage engines, each behind [`crate::store::Store`].

pub mod sqlite;
