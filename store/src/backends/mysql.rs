//! MySQL and MariaDB as a back end: `mysql://USER:PASSWORD@HOST:PORT/DATABASE`. The tables need a
//! database of their own; with `?tags=leaf_alloc` they are in Leaf's, and its table keeps the tags.

mod address;
mod values;

use std::sync::Arc;

use leafid_core::Code;
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, DriverError, Error, Params};

use super::far::Client;
use super::link::{Breakage, Broken};
use super::remote::{Did, Driver, Ending, LOCKED_MS, Row, STATEMENT_MS, judge};
use super::tls::{advice, failure};
use crate::problem::Problem;
use leafid_turn::sql::errors::kind_of_mysql;
use leafid_turn::sql::{self, Query, Step, Texts};

pub use address::Address;
use values::param;

/// Error code: a row with this key exists.
const DUPLICATE: u16 = 1062;
/// Error code: the column's character set cannot hold the name in the query, so no row has it.
const UNWRITABLE: u16 = 1267;

/// A connection to MySQL or MariaDB. Its protocol does not pipeline statements.
pub struct Mysql {
    connection: Conn,
    leaf: bool,
}

struct Given {
    rows: Vec<Row>,
    did: Did,
}

impl Mysql {
    async fn run(&mut self, asked: &Query) -> Result<Given, Error> {
        let text = self.texts().text(asked.text);
        let values = text.names.iter().map(|name| param(name, asked.params.get(name)));
        let params = match text.names.is_empty() {
            true => Params::Empty,
            false => Params::Positional(values.collect::<Result<_, Error>>()?),
        };
        let mut result = self.connection.exec_iter(text.sql, params).await?;
        let found: Vec<mysql_async::Row> = result.collect().await?;
        let (changed, inserted) = (result.affected_rows(), result.last_insert_id());
        result.drop_result().await?;
        let names: Arc<[String]> = match found.first() {
            Some(row) => row.columns_ref().iter().map(|column| column.name_str().into()).collect(),
            None => Arc::default(),
        };
        let rows: Vec<Row> = found.iter().map(|row| values::row(row, &names)).collect();
        // A statement that writes returns the time as the last insert id, one that reads as its first column.
        let looked = rows.first().and_then(|row| row.int(0).ok());
        let inserted = inserted.filter(|id| *id > 0).and_then(|id| i64::try_from(id).ok());
        let did = Did { rows: changed.max(rows.len() as u64), now_ms: inserted.or(looked) };
        Ok(Given { rows, did })
    }

    async fn group(&mut self, steps: &[Step]) -> Result<Vec<Did>, Error> {
        let mut done = Vec::with_capacity(steps.len());
        for step in steps {
            let did = match self.run(step.query()).await {
                Ok(given) => given.did,
                Err(Error::Server(said)) if said.code == DUPLICATE => Did::default(),
                Err(error) => return Err(error),
            };
            done.push(did);
            if !matches!(step, Step::Adjust(_)) && did.rows == 0 {
                break;
            }
        }
        Ok(done)
    }
}

impl Client for Mysql {
    type Address = Address;
    const NAME: &'static str = "MySQL";

    async fn connect(address: &Address) -> Result<Mysql, Broken> {
        let mut connection = Conn::new(address.options.clone()).await?;
        let about = "SELECT version(), @@global.log_bin AND @@global.binlog_format = 'STATEMENT'";
        let about: Option<(String, bool)> = connection.query_first(about).await?;
        let (version, by_statements) = about.unwrap_or_default();
        // A binary log by statements refuses READ COMMITTED. Either level is safe: our statements lock
        // the rows that they change.
        let level = if by_statements { "REPEATABLE READ" } else { "READ COMMITTED" };
        let locked = LOCKED_MS.div_ceil(1_000);
        // A leafid server that hangs in an open transaction would block the acquires of all others by
        // its locks, so MariaDB ends it; MySQL has no such setting.
        let limit = match version.contains("MariaDB") {
            true => format!(
                "max_statement_time = {}, idle_transaction_timeout = {}",
                f64::from(STATEMENT_MS) / 1_000.0,
                STATEMENT_MS.div_ceil(1_000)
            ),
            false => format!("max_execution_time = {STATEMENT_MS}"),
        };
        for session in [
            format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}"),
            format!(
                "SET SESSION autocommit = 1, sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', \
                 time_zone = '+00:00', innodb_lock_wait_timeout = {locked}, {limit}"
            ),
        ] {
            connection.query_drop(session).await?;
        }
        // A member of a Galera cluster that lags must not look like a store that went back. Only servers that
        // can be such a member have this.
        let galera = "SHOW SESSION VARIABLES LIKE 'wsrep_sync_wait'";
        if connection.query_first::<(String, String), _>(galera).await?.is_some() {
            connection.query_drop("SET SESSION wsrep_sync_wait = 7").await?;
        }
        Ok(Mysql { connection, leaf: address.leaf })
    }

    async fn examine(&mut self, place: &str, allow_unsafe: bool) -> Result<(), Broken> {
        let found = self.run(&Query::new("settings", |_| {})).await?;
        judge(place, &found.rows, allow_unsafe)?;
        let foreign = self.run(&Query::new("foreign", |_| {})).await?;
        if let Some(row) = foreign.rows.first() {
            let detail = format!("{place} {}", row.text(0)?);
            return Err(Problem::new(Code::StoreRefused, detail).into());
        }
        if !self.leaf {
            return Ok(());
        }
        // Leaf's `leaf_alloc` keeps the tags, with its columns unchanged, so that a Leaf may run beside us.
        let found = self.run(&Query::new("columns", |_| {})).await?;
        let row = Row::only(&found.rows)?;
        let (code, why) = match (row.said(0)?, row.said(1)?) {
            (Some(why), _) => (Code::SchemaMismatch, why),
            (None, Some(why)) => (Code::StoreRefused, why),
            (None, None) => return Ok(()),
        };
        Err(Problem::new(code, format!("{place} {why}")).into())
    }

    fn is_lost(&self) -> bool {
        self.connection.is_disconnected()
    }

    async fn ping(&mut self) -> Result<(), Broken> {
        Ok(self.connection.ping().await?)
    }
}

impl Driver for Mysql {
    const AT_ONCE: usize = 64;
    const TOGETHER: usize = 1;

    fn texts(&self) -> Texts {
        if self.leaf { sql::LEAF } else { sql::MYSQL }
    }

    async fn read(&mut self, asked: &[Query]) -> Result<Vec<Vec<Row>>, Broken> {
        let mut all = Vec::with_capacity(asked.len());
        for asked in asked {
            all.push(match self.run(asked).await {
                Ok(given) => given.rows,
                Err(Error::Server(said)) if said.code == UNWRITABLE => Vec::new(),
                Err(error) => return Err(error.into()),
            });
        }
        Ok(all)
    }

    async fn write(&mut self, groups: &[&[Step]], ending: Ending) -> Result<Vec<Vec<Did>>, Broken> {
        if ending != Ending::Alone {
            self.script("START TRANSACTION").await?;
        }
        let mut done = Vec::with_capacity(groups.len());
        for steps in groups {
            done.push(self.group(steps).await?);
        }
        if ending == Ending::Committed {
            self.script("COMMIT").await?;
        }
        Ok(done)
    }

    async fn begin_making(&mut self) -> Result<(), Broken> {
        // A lock of the connection, not of a transaction: making a table would commit that.
        let lock = "SELECT GET_LOCK(CONCAT('leafid ', DATABASE()), 2)";
        let held: Option<Option<i64>> = self.connection.query_first(lock).await?;
        match held.flatten() {
            Some(1) => Ok(()),
            _ => Err(Broken::refused("another program is making a store in this database")),
        }
    }

    async fn script(&mut self, sql: &str) -> Result<(), Broken> {
        Ok(self.connection.query_drop(sql).await?)
    }
}

impl From<Error> for Broken {
    /// Classifies an error. Neither the server's words nor the client's have a password.
    fn from(error: Error) -> Broken {
        if let Some(failure) = failure(&error) {
            return Broken::new(advice(failure, "ssl-ca=FILE", None), Breakage::Untrusted);
        }
        if let Error::Driver(DriverError::NoClientSslFlagFromServer) = error {
            let detail = "it speaks no TLS: give the server a certificate, or leave out `ssl-mode`";
            return Broken::new(detail, Breakage::Untrusted);
        }
        let Error::Server(said) = error else {
            return Broken::lost(error.to_string());
        };
        let kind = kind_of_mysql(said.code).map_or(Breakage::Refused, Breakage::Of);
        Broken { detail: format!("{} ({})", said.message, said.code), kind }
    }
}
