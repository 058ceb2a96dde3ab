//! The journal of a server, as the command line names it.

use std::path::PathBuf;

use crate::fence::Journal;
use crate::problem::Problem;
use crate::registry::Registry;
use crate::store::Store;

/// Where a journal is kept, if one is.
#[derive(Clone, Debug)]
pub struct Keep {
    /// The folder.
    pub folder: Option<PathBuf>,
    /// The times that stand there are not believed.
    pub believe_clock: bool,
}

impl Keep {
    /// Begins to keep it for a store that was opened, before anything is granted there.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub fn begin(&self, store: &Registry) -> Result<(), Problem> {
        let Some(folder) = &self.folder else { return Ok(()) };
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
