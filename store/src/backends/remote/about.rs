//! The texts about a store as a whole: whether it is made, what it says of itself, what stands in it.

use std::borrow::Cow;

use crate::backends::sql::Query;
use crate::backends::sql::columns::Params;

/// The texts of a dialect.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Counts what stands in the tables.
    pub found: &'static str,
    /// Lowers the times of grants.
    pub lower: &'static str,
    /// Which tables are there.
    pub made: &'static str,
    /// Makes the store's row.
    pub make: &'static str,
    /// The store's row.
    pub meta: &'static str,
    /// Gives the store another id.
    pub rename: &'static str,
    /// The time.
    pub now: &'static str,
    /// Which other programs of ours have the database open, where it tells that to everybody.
    pub others: Option<&'static str>,
    /// What the server is set to.
    pub settings: &'static str,
}

macro_rules! about {
    ($dialect:literal, $($name:ident)+) => {
        About {
            others: None,
            $($name: include_str!(
                concat!("../../../../sql/", $dialect, "/meta/", stringify!($name), ".sql")
            ),)+
        }
    };
}

/// The texts of PostgreSQL.
pub const POSTGRES: About = About {
    others: Some(include_str!("../../../../sql/postgres/meta/others.sql")),
    ..about!("postgres", found lower made make meta now rename settings)
};
/// The texts of MySQL and MariaDB.
pub const MYSQL: About = about!("mysql", found lower made make meta now rename settings);
/// The texts of MySQL and MariaDB over Leaf's own `leaf_alloc`.
pub const LEAF: About =
    About { found: include_str!("../../../../sql/mysql/leaf/found.sql"), ..MYSQL };

/// A text and its parameters.
pub fn query(text: &'static str, put: impl FnOnce(&mut Params)) -> Query {
    let mut params = Params::default();
    put(&mut params);
    Query { text: Cow::Borrowed(text), params }
}
