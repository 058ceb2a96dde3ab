//! A store in this process's memory, for tests, examples and single processes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use leafid_core::{Ask, Code, Failure, Grant, Release, Store as _, StoreTime};
use leafid_wire::Subject;

use crate::Error;
use crate::driver::Hub;
use crate::host::clock::Clock;
use crate::host::fork::{self, Generation};
use crate::host::fork_cell::ForkCell;
use crate::host::random;
use crate::stores::{Backend, Make, Transport};

/// 256 tags, 8 namespaces of 64 worker numbers.
pub type Rows = leafid_core::MemoryStore<256, 8, 64>;

/// The rows, the process that made them, and the wall clock whose time each lease gets.
pub struct Memory {
    rows: Mutex<Box<Rows>>,
    made_in: Generation,
    clock: Clock,
    hub: ForkCell<Hub>,
}

/// The stores that callers named by `memory:NAME`.
static NAMED: Mutex<BTreeMap<String, Arc<Memory>>> = Mutex::new(BTreeMap::new());

impl Memory {
    /// This process's store with a name, created on first use.
    pub fn named(name: &str) -> Result<Arc<Memory>, Error> {
        let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(memory) = named.get(name) {
            return Ok(Arc::clone(memory));
        }
        let memory = Arc::new(Memory::new(Clock::default())?);
        named.insert(name.to_owned(), Arc::clone(&memory));
        Ok(memory)
    }

    /// Makes a name stand for a new store from now on.
    pub fn drop_named(name: &str) {
        NAMED.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// Creates an empty store.
    pub fn new(clock: Clock) -> Result<Memory, Error> {
        let rows = Mutex::new(Box::new(Rows::new(random::entropy()?)));
        Ok(Memory { rows, made_in: fork::current(), clock, hub: ForkCell::new(Hub::new()) })
    }

    /// Runs a function on the rows, at the wall clock's time.
    ///
    /// # Errors
    /// `CLOSED` in a forked child: its copy would grant the same numbers as the parent's.
    pub fn with<T>(
        &self,
        act: impl FnOnce(&mut Rows) -> Result<T, Failure>,
        subject: Subject<'_>,
    ) -> Result<T, Error> {
        if !fork::is_current(self.made_in) {
            let message = "a memory store belongs to the process that made it, and this is a \
                           forked child, where `memory:` still names the parent's: pass a memory \
                           store that was made here, or use a store that both can reach";
            return Err(Error::new(Code::Closed, message));
        }
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.set_clock(StoreTime::new(self.clock.wall().get()));
        act(&mut rows).map_err(|failure| Error::of_store(failure, subject))
    }
}

impl Backend for Memory {
    fn hub(&self) -> &ForkCell<Hub> {
        &self.hub
    }

    fn place(&self) -> Option<String> {
        None
    }

    /// It makes all of them itself.
    fn make(&self, make: Make) -> Result<(), Error> {
        if !matches!(make, Make::Namespace(_, _, Some(_))) {
            return Ok(());
        }
        let message = "a store in memory hands out numbers of its own: leave out `workers`";
        Err(Error::new(Code::WorkerInvalid, message))
    }

    fn connect(self: Arc<Self>) -> Box<dyn Transport> {
        Box::new(self)
    }
}

impl Transport for Arc<Memory> {
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Error> {
        self.with(|rows| rows.ask(ask), subject(ask))
    }

    fn release(&mut self, release: &Release) -> Result<(), Error> {
        let namespace = Subject::Namespace(release.namespace.as_str());
        self.with(|rows| rows.release(release), namespace)
    }
}

/// The subject of an ask, for messages.
fn subject(ask: &Ask) -> Subject<'_> {
    match ask {
        Ask::Segment(ask) => Subject::Tag(ask.tag.as_str()),
        Ask::Acquire(ask) => Subject::Namespace(ask.namespace.as_str()),
        Ask::Renew(ask) => Subject::Namespace(ask.namespace.as_str()),
    }
}
