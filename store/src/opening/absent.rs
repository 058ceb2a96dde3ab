//! In place of the databases that are other programs, where this one was built without their clients.

use std::convert::Infallible;
use std::sync::Arc;

use leafid_core::Token;
use tokio::runtime::Handle;

use crate::backends::alone;
use crate::backends::opening::{Terms, Unopened};
use crate::clock::Clock;
use crate::problem::Problem;
use crate::registry::Registry;

/// A database that a URL names: none can be used.
#[derive(Clone, Debug)]
pub struct Database(Infallible);

impl Database {
    /// Refuses a URL; `None` for a name that is no database's.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    pub fn parse(named: &str) -> Option<Result<Database, Problem>> {
        match named.split_once(':')?.0 {
            "postgres" | "postgresql" | "mysql" | "mariadb" | "etcd" | "etcds" | "zk" => {
                Some(Err(alone()))
            }
            _ => None,
        }
    }

    /// No.
    pub fn is_leafs(_: &str) -> bool {
        false
    }

    /// Of none.
    pub fn place(&self) -> &str {
        match self.0 {}
    }

    /// Of none.
    ///
    /// # Errors
    /// None.
    pub fn open(&self, _: Arc<dyn Clock>, _: &Terms) -> Result<Registry, Unopened> {
        match self.0 {}
    }

    /// Of none.
    ///
    /// # Errors
    /// None.
    pub fn open_on(
        &self,
        _: Option<&Handle>,
        _: Arc<dyn Clock>,
        _: &Terms,
    ) -> Result<Registry, Unopened> {
        match self.0 {}
    }

    /// Of none.
    ///
    /// # Errors
    /// None.
    pub fn create(&self, _: Arc<dyn Clock>, _: &Terms) -> Result<Registry, Unopened> {
        match self.0 {}
    }

    /// Of none.
    ///
    /// # Errors
    /// None.
    pub fn greatest(&self, _: &str) -> Result<Option<i64>, Problem> {
        match self.0 {}
    }

    /// Of none.
    ///
    /// # Errors
    /// None.
    pub fn rename(&self, _: Token) -> Result<(), Problem> {
        match self.0 {}
    }

    /// Of none.
    ///
    /// # Errors
    /// None.
    pub fn migrate(&self) -> Result<(i64, i64), Unopened> {
        match self.0 {}
    }
}
