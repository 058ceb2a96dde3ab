//! Opens stores by their names: databases and files, for a server or for one verb.

use std::sync::Arc;

use clap::Args;
use leafid_core::Token;
use leafid_store::backends::opening::{Options, Unopened};
use leafid_store::hex;
use leafid_store::opening::Place;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use tokio::runtime::Handle;

use super::args::token;
use super::journal::Keep;
use super::named::file;
use super::say;

/// Parses a name; `way` is an example of the command line.
pub fn place(named: &str, way: &str) -> Result<Place, Problem> {
    Place::parse(named).unwrap_or_else(|| file(named, way).map(Place::File))
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
        keep: Keep,
    ) -> Result<Arc<Registry>, Problem> {
        let options = Options { expect: self.expect_store, ..options };
        let place = place(named, "leafid serve --store")?;
        let (shown, on) = (place.shown(), Handle::try_current().ok());
        let open = move || keep.open(&place, on.as_ref(), &options);
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
