//! The store of `leafid serve`: how it is named and opened, and what is said of it.

use std::sync::Arc;

use clap::Args;
use leafid_core::Token;
use leafid_store::backends::opening::Options;
use leafid_store::backends::sqlite::file::create;
use leafid_store::hex::hex;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;

use super::args::token;
use super::database::{self, How};
use super::named::{file, open};
use super::say;

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
    /// Opens the store of this name, and begins its journal.
    ///
    /// # Errors
    /// As the store says.
    pub fn open(&self, named: &str, how: &How) -> Result<Arc<Registry>, Problem> {
        let options = Options { expect: self.expect_store, ..how.options };
        if let Some(store) = database::serve(named, options, how) {
            return store;
        }
        let file = file(named, "leafid serve --store")?;
        let made = |options| Ok(open(&file, options)?);
        let store = how.keep.open(&create::place(&file), options, made)?;
        how.keep.begin(&store)?;
        opened(&store);
        Ok(Arc::new(store))
    }
}

/// Who does not listen any more stops no server.
pub fn tell(line: impl std::fmt::Display) {
    let _ = say(line);
}

/// Says what is served: an operator sees at once whether it is the store that was meant.
pub fn opened(store: &Registry) {
    let Ok(found) = store.found() else { return };
    let opened = if found.created { "created" } else { "opened" };
    let (place, id) = (store.place(), hex(store.id()));
    let version = env!("CARGO_PKG_VERSION");
    tell(format_args!("leafid: version {version}, {opened} {place}, store id {id}: {found}"));
}
