//! Opens stores by their names: databases and files, for a server or for one verb.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use leafid_core::Token;
use leafid_store::backends::clock::Source;
use leafid_store::backends::greatest::of_file;
use leafid_store::backends::opening::{Options, Terms, Unopened};
use leafid_store::backends::sqlite::{self, file};
use leafid_store::clock::SystemClock;
use leafid_store::hex;
use leafid_store::opening::database::Database;
use leafid_store::opening::{create_sqlite, open_sqlite};
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use tokio::runtime::Handle;

use super::args::token;
use super::journal::Keep;
use super::named::{file, masked};
use super::say;

pub enum Place {
    Database(Database),
    File(PathBuf),
}

impl Place {
    /// Parses a name; `way` is an example of the command line.
    pub fn parse(named: &str, way: &str) -> Result<Place, Problem> {
        match Database::parse(named) {
            Some(database) => database.map(Place::Database),
            None => file(named, way).map(Place::File),
        }
    }

    pub fn shown(&self) -> String {
        match self {
            Place::Database(database) => database.place().to_owned(),
            Place::File(file) => file::place(file),
        }
    }

    /// Opens the store: driven by this runtime if one is given, else by a thread of its own.
    pub fn open(
        &self,
        on: Option<&Handle>,
        options: Options,
        allow_unsafe: bool,
    ) -> Result<Registry, Unopened> {
        let clock = Arc::new(SystemClock);
        match self {
            Place::Database(database) => {
                database.open(on, clock, &terms(options, allow_unsafe), false)
            }
            Place::File(file) => Ok(open_sqlite(file, clock, options)?),
        }
    }

    /// Creates a store. A database's settings are checked only when it is served: this grants nothing.
    pub fn create(&self, options: Options) -> Result<Registry, Problem> {
        let clock = Arc::new(SystemClock);
        match self {
            Place::Database(database) => {
                Ok(database.open(None, clock, &terms(options, true), true)?)
            }
            Place::File(file) => create_sqlite(file, clock, options),
        }
    }

    pub fn rename(&self, id: Token) -> Result<(), Problem> {
        match self {
            Place::Database(database) => database.rename(id),
            Place::File(file) => sqlite::rename(file, id),
        }
    }

    /// The greatest number, by an application's query.
    pub fn greatest(&self, sql: &str) -> Result<Option<i64>, Problem> {
        match self {
            Place::Database(database) => database.greatest(sql),
            Place::File(file) => of_file(file, sql).map_err(|problem| {
                let place = masked(&file.to_string_lossy());
                Problem { detail: format!("{} ({place})", problem.detail), ..problem }
            }),
        }
    }
}

fn terms(options: Options, allow_unsafe: bool) -> Terms {
    Terms { options, allow_unsafe, source: Source::Database }
}

#[derive(Args, Debug)]
pub struct Named {
    /// The store: `sqlite:PATH`, a plain path, `postgres://USER:PASSWORD@HOST:PORT/DATABASE`,
    /// `mysql://USER:PASSWORD@HOST:PORT/DATABASE`, `etcd://HOST:PORT,HOST:PORT/PREFIX` or
    /// `zk://HOST:PORT,HOST:PORT/PATH`
    /// [default: sqlite:./leafid.db]
    #[arg(long, env = "LEAFID_STORE", value_name = "STORE", hide_env_values = true)]
    pub store: Option<String>,
    /// Refuses to serve any store but the one with this id
    #[arg(long, env = "LEAFID_EXPECT_STORE", value_name = "ID", value_parser = token,
          conflicts_with = "create")]
    expect_store: Option<Token>,
}

impl Named {
    /// Opens the store of this name, and begins its journal. For a database that cannot be reached yet the
    /// server waits while it runs.
    pub fn open(
        &self,
        named: &str,
        options: Options,
        allow_unsafe: bool,
        keep: Keep,
    ) -> Result<Arc<Registry>, Problem> {
        let options = Options { expect: self.expect_store, ..options };
        let place = Place::parse(named, "leafid serve --store")?;
        let (shown, on) = (place.shown(), Handle::try_current().ok());
        let at = shown.clone();
        let open = move || {
            let open = |options| place.open(on.as_ref(), options, allow_unsafe);
            let store = keep.open(&at, options, open)?;
            keep.begin(&store)?;
            Ok(store)
        };
        match open() {
            Ok(store) => {
                opened(&store);
                Ok(Arc::new(store))
            }
            Err(Unopened { problem: why, may_pass: true }) => {
                tell(format_args!("leafid: waiting for {shown}: {}", why.detail));
                tracing::warn!(code = %why.code, "not open: {}", why.detail);
                Ok(Arc::new(Registry::late(shown, why, open, opened)?))
            }
            Err(unopened) => Err(unopened.problem),
        }
    }
}

/// Prints a line; a closed standard output does not stop the server.
pub fn tell(line: impl std::fmt::Display) {
    let _ = say(line);
}

/// Prints the store that is served, so that an operator sees at once if it is the wrong one.
fn opened(store: &Registry) {
    let Ok(found) = store.found() else { return };
    let opened = if found.created { "created" } else { "opened" };
    let (place, id) = (store.place(), hex(store.id()));
    let version = env!("CARGO_PKG_VERSION");
    tell(format_args!("leafid: version {version}, {opened} {place}, store id {id}: {found}"));
}
