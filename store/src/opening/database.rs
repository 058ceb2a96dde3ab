//! A store by the URL of the database that keeps it.

use std::ops::Deref;
use std::sync::Arc;

use leafid_core::{Code, Token};
use tokio::runtime::Handle;

use super::engines;
use crate::backends::opening::{Terms, Unopened};
use crate::clock::Clock;
use crate::problem::Problem;
use crate::registry::Registry;

/// A database that a URL names.
#[derive(Clone)]
pub struct Database(pub(super) Arc<dyn Kind>);

/// What is asked of a database, of whatever kind.
pub trait Kind: Send + Sync {
    /// Where it is, for a person: without a password.
    fn place(&self) -> &str;

    /// Whether the tags of its store are in Leaf's own table.
    fn has_leafs_tags(&self) -> bool {
        false
    }

    /// Opens the store that lies there, or makes it where the terms say so; or makes a `new` one where
    /// none is. It is used as a task of this runtime, or on a thread of its own.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` where it is not reached, `STORE_UNKNOWN` where it is not there, `UNAUTHORIZED`
    /// and `FORBIDDEN` where the database does not let us in, `STORE_REFUSED` where a setting cannot keep
    /// a promise, or one is there that was to be new, `SCHEMA_MISMATCH` for tables of another program or version, `STORE_CHANGED` for another
    /// store than was expected.
    fn open(
        &self,
        on: Option<&Handle>,
        clock: Arc<dyn Clock>,
        terms: &Terms,
        new: bool,
    ) -> Result<Registry, Unopened>;

    /// What a query of an application gives, asked for `--from-max`.
    ///
    /// # Errors
    /// `REQUEST_INVALID` where it has no tables, or the query gives no number; else as [`Kind::open`].
    fn greatest(&self, _sql: &str) -> Result<Option<i64>, Problem> {
        let detail = format!(
            "--from-max asks a database that has tables, and {} has none: add --in postgres://…, \
             mysql://… or sqlite:PATH",
            self.place()
        );
        Err(Problem::new(Code::RequestInvalid, detail))
    }

    /// Gives the store that lies there another id.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a database that does not keep tables; else as [`Kind::open`].
    fn rename(&self, _id: Token) -> Result<(), Problem> {
        let detail = format!(
            "{} cannot be given another id: --new-id is for a file, PostgreSQL and MySQL; make a new \
             store instead: leafid init",
            self.place()
        );
        Err(Problem::new(Code::RequestInvalid, detail))
    }
}

impl Database {
    /// Reads a URL; `None` for a name that is no database's.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, which does not repeat the URL: it may have a password.
    pub fn parse(named: &str) -> Option<Result<Database, Problem>> {
        let (scheme, _) = named.split_once(':')?;
        match scheme {
            "postgres" | "postgresql" | "mysql" | "mariadb" | "etcd" | "etcds" | "zk" => {
                Some(engines::parse(scheme, named))
            }
            _ => None,
        }
    }

    /// Whether the tags of the store with this name are in Leaf's own table.
    pub fn is_leafs(named: &str) -> bool {
        matches!(Database::parse(named), Some(Ok(database)) if database.has_leafs_tags())
    }
}

impl Deref for Database {
    type Target = dyn Kind;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}
