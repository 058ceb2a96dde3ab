//! Which store of a server keeps what: one keeps everything, or one the tags and another the
//! namespaces and worker numbers. Each grant carries the id of the store that it is from, so a
//! holder of either kind has to do with one store, and sees no difference.

use std::sync::Arc;

use leafid_core::Name;

use super::watched::Watched;
use super::{SharedStore, Store};
use crate::meter::leases::Leases;

/// What a store keeps for a server that has two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Tags.
    Tags,
    /// Namespaces and their worker numbers.
    Workers,
}

impl Kept {
    /// Its name in options and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Kept::Tags => "tags",
            Kept::Workers => "workers",
        }
    }

    /// What it is, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Kept::Tags => "tags",
            Kept::Workers => "worker numbers",
        }
    }
}

/// The stores of a server, each with what its refusals told.
#[derive(Clone)]
pub struct Stores {
    tags: Arc<Watched>,
    /// Where another store keeps the worker numbers.
    workers: Option<Arc<Watched>>,
}

impl Stores {
    /// One store, which keeps everything.
    pub fn one(store: SharedStore) -> Stores {
        Stores { tags: Arc::new(Watched::over(store)), workers: None }
    }

    /// One store for tags, and another one for namespaces and worker numbers.
    pub fn parted(tags: SharedStore, workers: SharedStore) -> Stores {
        let workers = Some(Arc::new(Watched::over(workers)));
        Stores { tags: Arc::new(Watched::over(tags)), workers }
    }

    /// The store of the tags.
    pub fn tags(&self) -> &dyn Store {
        self.tags.as_ref()
    }

    /// The store of the namespaces and the worker numbers.
    pub fn workers(&self) -> &dyn Store {
        self.workers.as_ref().unwrap_or(&self.tags).as_ref()
    }

    /// What the store of the tags was asked for, and the store of the worker numbers.
    pub fn leases(&self) -> (&Leases, &Leases) {
        (self.tags.leases(), self.workers.as_ref().unwrap_or(&self.tags).leases())
    }

    /// The tags that were leased from here, as far as they are counted by name.
    pub fn tags_leased(&self) -> Vec<Name> {
        let counted = self.tags.leases().tags.each();
        counted.into_iter().filter_map(|(name, _)| name).collect()
    }

    /// Has each do what waits, and nothing that comes later.
    pub async fn close(&self) {
        for (_, store) in self.each() {
            // A store that is closed already has done it.
            let _ = store.close().await;
        }
    }

    /// Each store once, and what it keeps where there are two.
    pub fn each(&self) -> impl Iterator<Item = (Option<Kept>, &Arc<Watched>)> {
        let of_tags = self.workers.as_ref().map(|_| Kept::Tags);
        let workers = self.workers.iter().map(|store| (Some(Kept::Workers), store));
        std::iter::once((of_tags, &self.tags)).chain(workers)
    }
}
