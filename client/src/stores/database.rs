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

fn journals() -> Option<PathBuf> {
    std::env::var_os(JOURNAL).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// The place of a store's tables.
pub struct Database {
    url: String,
    place: Place,
    /// Tags and namespaces to create before the first ask for them, if they are missing.
    makes: Mutex<Vec<Make>>,
    hub: ForkCell<Hub>,
}

static NAMED: ForkLock<BTreeMap<String, Weak<Database>>> = ForkLock::new();
/// The files that are open, and in which process: SQLite lets no child open one a second time, whose locks it would
/// take for its own.
static FILES: Mutex<Vec<(PathBuf, Generation)>> = Mutex::new(Vec::new());

impl Database {
    /// The store of a URL, shared by all that name it; `None` for a URL of another kind.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a URL that cannot be, `STATE_INVALID` where the folder of journals cannot be used.
    pub fn named(url: &str) -> Result<Option<Arc<Database>>, Error> {
        let (url, place) = match (url.strip_prefix("sqlite:"), Place::parse(url)) {
            (Some(path), _) => {
                // The same file from any working folder.
                let absolute = std::path::absolute(path).ok().filter(|_| !path.contains('\0'));
                let path = absolute.ok_or_else(|| {
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
        // Told here, since a call would wait for it.
        if let Some(folder) = journals().filter(|_| cfg!(target_os = "linux")) {
            leafid_state::journal::folder(&folder)
                .map_err(|problem| Error::new(problem.code, problem.message))?;
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

    /// The tag or namespace to create before this ask. Those of other generators wait for their own asks: their creation may
    /// be refused, which must not fail this one.
    fn make_for(&self, ask: &Ask) -> Option<Make> {
        let is_its_own = |make: &&Make| match (make, ask) {
            (Make::Tag(name), Ask::Segment(ask)) => ask.tag.as_str() == name,
            (Make::Namespace(name, layout, _), Ask::Acquire(ask)) => {
                ask.namespace.as_str() == name && ask.layout == *layout
            }
            _ => false,
        };
        self.makes().iter().find(is_its_own).cloned()
    }
}

/// A file that this process has open, until this is dropped.
struct OpenFile(PathBuf);

impl OpenFile {
    /// # Errors
    /// `CLOSED` if the process that forked this one had it open.
    fn new(path: &Path) -> Result<OpenFile, Error> {
        // The same by any name: over a link, or a folder and `..`.
        let whole = |path: &Path| path.canonicalize().ok();
        let real = whole(path).or_else(|| Some(whole(path.parent()?)?.join(path.file_name()?)));
        let real = real.unwrap_or_else(|| path.to_owned());
        let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
        if files.iter().any(|(other, made_in)| *other == real && !fork::is_current(*made_in)) {
            let message = format!(
                "`{}` was open when this process was forked: SQLite cannot open it a second time here; draw nothing \
                 before the fork",
                path.display()
            );
            return Err(Error::new(Code::Closed, message));
        }
        files.push((real.clone(), fork::current()));
        Ok(OpenFile(real))
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
        let is_this =
            |(path, made_in): &(PathBuf, Generation)| *path == self.0 && fork::is_current(*made_in);
        if let Some(at) = files.iter().position(is_this) {
            files.swap_remove(at);
        }
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
        Box::new(Opened { database: self, open: None })
    }
}

/// The store, opened with the first ask.
struct Opened {
    database: Arc<Database>,
    open: Option<(Runtime, Registry, Option<OpenFile>)>,
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
        let (runtime, registry, _) = self.open.insert(open);
        Ok(runtime.block_on(ask(registry))?)
    }

    fn opened(&self) -> Result<(Runtime, Registry, Option<OpenFile>), Error> {
        let Database { place, .. } = &*self.database;
        let file = match place {
            Place::File(path) => Some(OpenFile::new(path)?),
            _ => None,
        };
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|why| Error::new(Code::Internal, why.to_string()))?;
        let create = !self.database.makes().is_empty();
        let options = Options { create, ..Options::default() };
        let opened = place.open(Some(runtime.handle()), Arc::new(SystemClock), &options);
        let registry = opened.map_err(|why| {
            let mut problem = Problem::from(why);
            if problem.code == Code::StoreUnknown && !create {
                problem.detail += "; `.create()` makes a new store as well";
            }
            problem
        })?;
        let name = owner::name().map_or_else(|_| "leafid".to_owned(), |name| name.to_string());
        let journal = journals().map(|at| Journal::open(&at, registry.id(), place.shown(), false));
        registry.attend(name, journal.transpose()?)?;
        Ok((runtime, registry, file))
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
        let database = Arc::clone(&self.database);
        self.with(async |registry| {
            while let Some(make) = database.make_for(ask) {
                made(registry, &make).await?;
                database.makes().retain(|other| *other != make);
            }
            match *ask {
                Ask::Segment(ask) => registry.lease_segment(ask).await.map(Grant::Segment),
                Ask::Acquire(ask) => registry.acquire(ask).await.map(Grant::Window),
                Ask::Renew(ask) => registry.renew(ask).await.map(Grant::Window),
            }
        })
    }

    fn release(&mut self, release: &Release) -> Result<(), Error> {
        self.with(async |registry| registry.release(*release).await)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some((runtime, registry, _file)) = self.open.take() {
            runtime.block_on(registry.close());
        }
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Error {
        let (until_ms, wait_ms) = (problem.free_at.map(|at| at.get()), problem.retry_after_ms);
        Error::new(problem.code, problem.detail).until_ms(until_ms).retry_after_ms(wait_ms)
    }
}
