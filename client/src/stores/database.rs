//! Stores in a file or a database, without a server: this process carries out their turns itself, as a server does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use leafid_core::{Ask, Code, Grant, Name, Release};
use leafid_store::backends::opening::Options;
use leafid_store::clock::SystemClock;
use leafid_store::fence::Journal;
use leafid_store::opening::Place;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_turn::change::{NamespaceChange, TagChange};
use tokio::runtime::{Builder, Runtime};

use crate::Error;
use crate::driver::Hub;
use crate::host::fork::{self, Generation};
use crate::host::fork_cell::{ForkCell, ForkLock};
use crate::host::owner;
use crate::stores::{Backend, Make, Transport};

/// The environment variable with the folder of this machine's journals.
const JOURNAL: &str = "LEAFID_JOURNAL";

/// The place of a store's tables.
pub struct Database {
    url: String,
    place: Place,
    /// Tags and namespaces to create before the first ask, if they are missing.
    makes: Mutex<Vec<Make>>,
    hub: ForkCell<Hub>,
}

static NAMED: ForkLock<BTreeMap<String, Weak<Database>>> = ForkLock::new();
/// The files that are open, by their real paths, each as often as it is, and in which process: SQLite lets no child
/// open one a second time, whose locks it would take for its own.
static FILES: Mutex<Vec<(PathBuf, Generation)>> = Mutex::new(Vec::new());

fn files() -> MutexGuard<'static, Vec<(PathBuf, Generation)>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The path without links and `..`, also of a file that does not exist yet.
fn real(path: &Path) -> PathBuf {
    let in_folder = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
}

impl Database {
    /// The store of a URL, shared by all that name it; `None` for a URL of another kind.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a URL that cannot be.
    pub fn named(url: &str) -> Result<Option<Arc<Database>>, Error> {
        let (url, place) = match (url.strip_prefix("sqlite:"), Place::parse(url)) {
            (Some(path), _) => {
                // The same file from any working folder.
                let path = std::path::absolute(path).map_err(|_| {
                    let message = "`sqlite:` needs a path, such as `sqlite:ids.db`";
                    Error::new(Code::RequestInvalid, message)
                })?;
                (format!("sqlite:{}", path.display()), Place::File(path))
            }
            (None, Some(place)) => (url.to_owned(), place?),
            (None, None) => return Ok(None),
        };
        let mut named = NAMED.lock();
        if let Some(known) = named.get(&url).and_then(Weak::upgrade) {
            return Ok(Some(known));
        }
        let (makes, hub) = (Mutex::default(), ForkCell::new(Hub::new()));
        let own = Arc::new(Database { url: url.clone(), place, makes, hub });
        named.retain(|_, other| other.strong_count() > 0);
        named.insert(url, Arc::downgrade(&own));
        Ok(Some(own))
    }

    fn makes(&self) -> MutexGuard<'_, Vec<Make>> {
        self.makes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for Database {
    fn hub(&self) -> &ForkCell<Hub> {
        &self.hub
    }

    fn place(&self) -> Option<String> {
        Some(self.url.clone())
    }

    fn make(&self, make: Make) -> Result<(), Error> {
        self.makes().push(make);
        Ok(())
    }

    fn connect(self: Arc<Self>) -> Box<dyn Transport> {
        Box::new(Opened { database: self, file: None, open: None })
    }
}

/// The store, opened with the first ask.
struct Opened {
    database: Arc<Database>,
    /// The file's own entry in `FILES`.
    file: Option<PathBuf>,
    open: Option<(Runtime, Registry)>,
}

impl Opened {
    /// Runs a request in the open store.
    fn with<T>(
        &mut self,
        ask: impl AsyncFnOnce(&Registry) -> Result<T, Problem>,
    ) -> Result<T, Error> {
        let open = match self.open.take() {
            Some(open) => open,
            None => self.opened()?,
        };
        let (runtime, registry) = self.open.insert(open);
        Ok(runtime.block_on(async {
            // Each is kept until it is made: the database may be away between two of them.
            loop {
                let Some(make) = self.database.makes().first().cloned() else { break };
                made(registry, &make).await?;
                self.database.makes().retain(|other| *other != make);
            }
            ask(registry).await
        })?)
    }

    /// Enters the file in `FILES`, or refuses it where a process before this one has it open.
    fn enter_file(&mut self) -> Result<(), Error> {
        let Place::File(path) = &self.database.place else { return Ok(()) };
        let own = real(path);
        let mut files = files();
        if files.iter().any(|(file, made_in)| *file == own && !fork::is_current(*made_in)) {
            let message = format!(
                "`{}` was open when this process was forked, and is its parent's: SQLite cannot open it a second time \
                 here; draw nothing before the fork",
                path.display()
            );
            return Err(Error::new(Code::Closed, message));
        }
        if self.file.is_none() {
            files.push((own.clone(), fork::current()));
            self.file = Some(own);
        }
        Ok(())
    }

    fn opened(&mut self) -> Result<(Runtime, Registry), Error> {
        self.enter_file()?;
        let Database { place, .. } = &*self.database;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|why| Error::new(Code::Internal, why.to_string()))?;
        let create = !self.database.makes().is_empty();
        let options = Options { create, ..Options::default() };
        let opened = place.open(Some(runtime.handle()), Arc::new(SystemClock), &options);
        let registry = opened.map_err(|why| {
            let mut problem = Problem::from(why);
            if problem.code == Code::StoreUnknown {
                problem.detail += "; `.create()` makes a new store as well";
            }
            problem
        })?;
        let name = owner::name().map_or_else(|_| "leafid".to_owned(), |name| name.to_string());
        let folder = std::env::var_os(JOURNAL).filter(|folder| !folder.is_empty());
        let journal = folder
            .map(|folder| Journal::open(folder.as_ref(), registry.id(), place.shown(), false));
        registry.attend(name, journal.transpose()?)?;
        Ok((runtime, registry))
    }
}

async fn made(registry: &Registry, make: &Make) -> Result<(), Problem> {
    match make {
        Make::Tag(tag) => {
            let make = registry.put_tag(Name::tag(tag)?, TagChange::default());
            make.await.map(drop)
        }
        Make::Namespace(name, layout, workers) => {
            let (layout, workers) = (*layout, *workers);
            let change =
                NamespaceChange { layout, workers, only_create: true, ..Default::default() };
            registry.put_namespace(Name::namespace(name)?, change).await.map(drop)
        }
    }
}

impl Transport for Opened {
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Error> {
        self.with(async |registry| match *ask {
            Ask::Segment(ask) => registry.lease_segment(ask).await.map(Grant::Segment),
            Ask::Acquire(ask) => registry.acquire(ask).await.map(Grant::Window),
            Ask::Renew(ask) => registry.renew(ask).await.map(Grant::Window),
        })
    }

    fn release(&mut self, release: &Release) -> Result<(), Error> {
        self.with(async |registry| registry.release(*release).await)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some((runtime, registry)) = self.open.take() {
            runtime.block_on(registry.close());
        }
        if let Some(own) = self.file.take() {
            let mut files = files();
            let is_own = |(file, made_in): &(_, _)| *file == own && fork::is_current(*made_in);
            let at = files.iter().position(is_own);
            at.map(|at| files.swap_remove(at));
        }
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Error {
        let (until_ms, wait_ms) = (problem.free_at.map(|at| at.get()), problem.retry_after_ms);
        Error::new(problem.code, problem.detail).until_ms(until_ms).retry_after_ms(wait_ms)
    }
}

#[cfg(test)]
mod tests {
    use leafid_core::{Range, SegmentAsk, Token};

    use super::*;

    #[test]
    fn what_follows_a_tag_that_cannot_be_made_is_not_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("ids.db").display());
        let database = Database::named(&url).unwrap().unwrap();
        let wrong = Make::Namespace("wrong".to_owned(), None, Some(Range::new(0, 1 << 40)));
        database.make(wrong.clone()).unwrap();
        database.make(Make::Tag("orders".to_owned())).unwrap();
        let mut store = Arc::clone(&database).connect();
        let ask = Ask::Segment(SegmentAsk::new(Name::tag("orders").unwrap(), Token::new([7; 16])));
        assert_eq!(store.ask(&ask).unwrap_err().code(), Code::WorkerInvalid);
        database.makes().retain(|make| *make != wrong);
        store.ask(&ask).unwrap();
        assert!(database.makes().is_empty());
    }
}
