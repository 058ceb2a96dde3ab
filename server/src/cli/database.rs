//! Verbs on a store that a database keeps: `postgres://…`, `mysql://…`, `etcd://…`, `zk://…`.

use std::sync::Arc;

use leafid_store::backends::clock::Source;
use leafid_store::backends::opening::Options;
use leafid_store::backends::opening::Terms;
use leafid_store::clock::SystemClock;
use leafid_store::opening::database::Database;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use tokio::runtime::Handle;

use super::journal::Keep;
use super::store::{opened, tell};

/// How the store of a server is opened.
pub struct How {
    /// What is asked of it.
    pub options: Options,
    /// Also with settings that lose what was answered.
    pub allow_unsafe: bool,
    /// Where its journal is kept.
    pub keep: Keep,
}

/// The store of a server, by its URL; `None` for a name that is no database's. One that cannot be
/// reached yet is waited for while the server runs. It is used by the runtime that this is called in.
pub fn serve(named: &str, options: Options, how: &How) -> Option<Result<Arc<Registry>, Problem>> {
    Some(Database::parse(named)?.and_then(|database| {
        let (unsafe_too, on) = (how.allow_unsafe, Handle::try_current().ok());
        let (at, keep) = (database.place().to_owned(), how.keep.clone());
        let place = at.clone();
        let open = move || {
            keep.open(&at, options, |options| {
                let terms = terms(options, unsafe_too);
                database.open(on.as_ref(), Arc::new(SystemClock), &terms, false)
            })
        };
        match open() {
            Ok(store) => {
                how.keep.begin(&store)?;
                opened(&store);
                Ok(Arc::new(store))
            }
            Err(unopened) if unopened.may_pass => {
                let why = unopened.problem;
                tell(format_args!("leafid: waiting for {place}: {}", why.detail));
                tracing::warn!(code = %why.code, "not open: {}", why.detail);
                let keep = how.keep.clone();
                let open = move || {
                    let store = open()?;
                    keep.begin(&store)?;
                    Ok(store)
                };
                Ok(Arc::new(Registry::late(place, why, open, opened)?))
            }
            Err(unopened) => Err(unopened.problem),
        }
    }))
}

/// Makes a store. Its settings are looked at when it is served: this grants nothing.
pub fn init(database: &Database, options: Options) -> Result<Registry, Problem> {
    Ok(database.open(None, Arc::new(SystemClock), &terms(options, true), true)?)
}

/// Opens a store for one verb.
pub fn open(named: &str, allow_unsafe: bool) -> Option<Result<Registry, Problem>> {
    Some(Database::parse(named)?.and_then(|database| {
        let terms = terms(Options::default(), allow_unsafe);
        Ok(database.open(None, Arc::new(SystemClock), &terms, false)?)
    }))
}

fn terms(options: Options, allow_unsafe: bool) -> Terms {
    Terms { options, allow_unsafe, source: Source::Database }
}
