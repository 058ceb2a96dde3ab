//! Opens stores by their names: databases and files, for a server or for one verb.

use std::path::PathBuf;
use std::sync::Arc;

use leafid_store::backends::opening::{Options, Unopened};
use leafid_store::hex;
use leafid_store::opening::Place;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use tokio::runtime::Handle;

use super::journal;
use super::named::file;
use super::say;

/// Parses a name; `way` is an example of the command line.
pub fn place(named: &str, way: &str) -> Result<Place, Problem> {
    Place::parse(named).unwrap_or_else(|| file(named, way).map(Place::File))
}

/// Opens the store of this name, and begins its journal in a folder. For a database that cannot be reached yet
/// the server waits while it runs.
pub fn open(
    named: &str,
    options: Options,
    folder: Option<PathBuf>,
) -> Result<Arc<Registry>, Problem> {
    let place = place(named, "leafid serve --store")?;
    let (shown, on) = (place.shown(), Handle::try_current().ok());
    let open = move || journal::open(folder.as_deref(), &place, on.as_ref(), &options);
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
