//! Generators of IDs made of time, worker number and sequence.

use std::path::PathBuf;
use std::time::Duration;

use leafid_core::{Code, Layout, Name, SnowflakeConfig};
use leafid_wire::Subject;

use crate::driver::{Config, Snowflakes};
use crate::generator::{Generator, OfNamespace};
use crate::stores::{Make, shown_name};
use crate::{DEFAULT_TIMEOUT, Error, Store};

/// Stamps IDs with the store's time and a leased worker number, ascending within this generator.
///
/// It survives an outage of the store for as long as its window lasts: at most twice as long as the generator has
/// lived, or 10 s. Nothing is leased before the first ID.
pub type Snowflake = Generator<OfNamespace>;

/// The options of a [`Snowflake`].
#[derive(Debug)]
#[must_use = "call `build`"]
pub struct SnowflakeBuilder {
    namespace: String,
    store: Option<Result<Store, Error>>,
    owner: Option<String>,
    sticky: bool,
    strict: bool,
    layout: Option<Layout>,
    length: Option<Duration>,
    max_ahead: Duration,
    spread: Option<u32>,
    state: Option<PathBuf>,
    create: bool,
    timeout: Duration,
}

impl Snowflake {
    /// A generator on the store in the environment variable `LEAFID_STORE`.
    ///
    /// # Errors
    /// `NAMESPACE_INVALID`; `REQUEST_INVALID` without that variable, and for a URL of no store.
    pub fn new(namespace: impl Into<String>) -> Result<Snowflake, Error> {
        Snowflake::builder(namespace).build()
    }

    /// A generator with options.
    pub fn builder(namespace: impl Into<String>) -> SnowflakeBuilder {
        SnowflakeBuilder {
            namespace: namespace.into(),
            store: None,
            owner: None,
            sticky: false,
            strict: false,
            layout: None,
            length: None,
            max_ahead: Duration::from_secs(1),
            spread: None,
            state: None,
            create: false,
            timeout: DEFAULT_TIMEOUT,
        }
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        match self.config() {
            Config::Segment(config) => config.tag.as_str(),
            Config::Snowflake(kind) => kind.config.namespace.as_str(),
        }
    }
}

impl SnowflakeBuilder {
    /// The store: its URL, or a [`Store`], which generators may share. By default the URL in the environment
    /// variable `LEAFID_STORE`.
    pub fn store<S: TryInto<Store, Error: Into<Error>>>(mut self, store: S) -> Self {
        self.store = Some(store.try_into().map_err(Into::into));
        self
    }

    /// This holder's label, 1 to 128 bytes; by default `hostname/pid`.
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// The owner keeps its worker number until it has not been seen for 30 days; while that number is not free, as
    /// after a crash, the generator borrows another. It needs an [`owner`](Self::owner) that is the same after a
    /// restart.
    pub fn sticky(mut self) -> Self {
        self.sticky = true;
        self
    }

    /// As [`sticky`](Self::sticky), and waits while its own number is not free (`WORKERS_EXHAUSTED`).
    pub fn strict(mut self) -> Self {
        (self.sticky, self.strict) = (true, true);
        self
    }

    /// The layout that the namespace must have (`LAYOUT_MISMATCH`); by default any.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = Some(layout);
        self
    }

    /// The longest window to ask for; by default the namespace's longest.
    pub fn length(mut self, length: Duration) -> Self {
        self.length = Some(length);
        self
    }

    /// How far IDs may run ahead of the clock in a burst; 1 s by default.
    pub fn max_ahead(mut self, max_ahead: Duration) -> Self {
        self.max_ahead = max_ahead;
        self
    }

    /// The sequence of a new tick begins at a random number below this; 0 begins at 0. By default 100, or a 16th of
    /// the sequence.
    pub fn spread(mut self, spread: u32) -> Self {
        self.spread = Some(spread);
        self
    }

    /// A state file on a local disk, used by this process alone, from which its next run starts at once although
    /// the store is away; or a folder, in which each process takes a free file. On Linux.
    pub fn state(mut self, path: impl Into<PathBuf>) -> Self {
        self.state = Some(path.into());
        self
    }

    /// Creates the store and the namespace with the first ask, where they are missing: for stores in a file or a database.
    pub fn create(mut self) -> Self {
        self.create = true;
        self
    }

    /// How long a call waits; 10 s by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The generator. It asks for nothing yet.
    ///
    /// # Errors
    /// `NAMESPACE_INVALID`, `RANGE_INVALID`, `STATE_INVALID`; `NOT_ENABLED` for a state file on another system than
    /// Linux; `REQUEST_INVALID` for an owner that cannot be, without a store, and for a URL of no store.
    pub fn build(self) -> Result<Snowflake, Error> {
        let about =
            |refusal| Error::about(refusal, Subject::Namespace(&shown_name(&self.namespace)));
        // `-` is a placeholder: without `owner`, the process's label replaces it when the generator is built.
        let mut config = SnowflakeConfig::new(&self.namespace, "-").map_err(about)?;
        if let Some(owner) = &self.owner {
            config.owner = Name::owner(owner).map_err(|_| {
                let message = "`owner` must be 1 to 128 bytes without control characters";
                Error::new(Code::RequestInvalid, message)
            })?;
        }
        // Otherwise every start would keep another number for 30 days.
        if self.sticky && self.owner.is_none() {
            let message = "`sticky` needs an `owner` that is the same after a restart, such as the name of a pod of a \
                           StatefulSet";
            return Err(Error::new(Code::RequestInvalid, message));
        }
        (config.sticky, config.strict) = (self.sticky, self.strict);
        config.layout = self.layout;
        config.length_ms = self.length.map(|length| whole_ms("length", length)).transpose()?;
        config.max_ahead_ms = whole_ms("max_ahead", self.max_ahead)?;
        config.spread = self.spread;
        let owner_is_given = self.owner.is_some();
        let state = self.state.map(checked_state).transpose()?;
        let config = Config::Snowflake(Snowflakes { config, owner_is_given, state });
        let store = Store::chosen(self.store)?;
        if self.create {
            store.0.make(Make::Namespace(self.namespace, self.layout))?;
        }
        Generator::of(config, store, self.timeout)
    }
}

fn whole_ms(name: &str, length: Duration) -> Result<u32, Error> {
    u32::try_from(length.as_millis()).map_err(|_| {
        let message = format!("`{name}` must be below 2^32 ms, got {} s", length.as_secs());
        Error::new(Code::RangeInvalid, message)
    })
}

/// The absolute path of a state file: the process may change its working directory.
fn checked_state(path: PathBuf) -> Result<PathBuf, Error> {
    if !cfg!(target_os = "linux") {
        let message = "state files exist on Linux only: leave `state` out";
        return Err(Error::new(Code::NotEnabled, message));
    }
    std::path::absolute(path).map_err(|_| {
        let message = "`state` must be the path of a file, got an empty one";
        Error::new(Code::StateInvalid, message)
    })
}
