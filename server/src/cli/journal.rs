//! The journal of a server, as the command line names it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use leafid_core::{Code, Token};

use crate::fence::Journal;
use crate::hex::hex;
use crate::problem::Problem;
use crate::registry::Registry;
use crate::store::Store;

/// Where a journal is kept, if one is.
#[derive(Clone, Debug)]
pub struct Keep {
    /// The folder.
    pub folder: Option<PathBuf>,
    believe_clock: bool,
    /// The stores of this server.
    begun: Arc<Mutex<Vec<Token>>>,
}

impl Keep {
    /// In this folder, if any; with `believe_clock` the times that stand there are not believed.
    pub fn new(folder: Option<PathBuf>, believe_clock: bool) -> Keep {
        Keep { folder, believe_clock, begun: Arc::default() }
    }

    /// Begins to keep it for a store that was opened, before anything is granted there.
    ///
    /// # Errors
    /// `STORE_REFUSED` for a store that this server has opened under another name; else as
    /// [`Journal::open`].
    pub fn begin(&self, store: &Registry) -> Result<(), Problem> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        if begun.contains(&store.id()) {
            return Err(Problem::new(
                Code::StoreRefused,
                format!(
                    "{} is store {}, which --tags and --workers both name; name it once: --store",
                    store.place(),
                    hex(store.id())
                ),
            ));
        }
        if let Some(folder) = &self.folder {
            self.note(folder, store)?;
        }
        begun.push(store.id());
        Ok(())
    }

    fn note(&self, folder: &Path, store: &Registry) -> Result<(), Problem> {
        let journal = Journal::open(folder, store.id())?;
        let path = journal.path.display().to_string();
        match &journal.found.store {
            Some(_) => tracing::info!(path, "the store is compared with its journal"),
            None => tracing::warn!(
                path,
                "a new journal is begun: what happened to the store before is not known"
            ),
        }
        store.keep(journal, self.believe_clock);
        Ok(())
    }
}
