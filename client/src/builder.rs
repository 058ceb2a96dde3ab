//! The options that generators of both kinds have.

use std::time::Duration;

use crate::driver::Config;
use crate::generator::{Generator, Kind};
use crate::stores::Make;
use crate::{Error, Store};

/// How long a call waits unless its generator was built with another [`timeout`](Builder::timeout): 10 s.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// The options of a generator: of a [`Segment`](crate::Segment) or of a [`Snowflake`](crate::Snowflake), which have more
/// of their own. An option that cannot be is refused by `build`.
#[derive(Debug)]
#[must_use = "call `build`"]
pub struct Builder<K: Kind> {
    pub(crate) name: String,
    store: Option<Result<Store, Error>>,
    create: bool,
    timeout: Duration,
    pub(crate) own: K::Options,
}

impl<K: Kind> Builder<K> {
    pub(crate) fn new(name: String) -> Builder<K> {
        let (store, create, own) = Default::default();
        Builder { name, store, create, timeout: DEFAULT_TIMEOUT, own }
    }

    /// The store: its URL, or a [`Store`], which generators may share. By default the URL in the environment variable
    /// `LEAFID_STORE`.
    ///
    /// ```
    /// use leafid::{Segment, Store};
    ///
    /// let store = Store::memory()?;
    /// let orders = Segment::builder("orders").store(&store).build()?;
    /// let others = Segment::builder("orders").store(&store).build()?;
    /// assert_eq!((orders.next()?, others.next()?), (1, 1_001));
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn store<S: TryInto<Store, Error: Into<Error>>>(mut self, store: S) -> Self {
        self.store = Some(store.try_into().map_err(Into::into));
        self
    }

    /// Creates the store, and the tag or namespace, with the first ask, where they are missing: for stores in a file or
    /// a database. A server's are created by command, which `build` tells (`REQUEST_INVALID`).
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # std::env::set_current_dir(&folder).unwrap();
    /// let orders = leafid::Segment::builder("orders").store("sqlite:ids.db").create().build()?;
    /// assert_eq!(orders.next()?, 1);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn create(mut self) -> Self {
        self.create = true;
        self
    }

    /// How long a call waits for an ID before it is `TIMED_OUT`; 10 s by default. Zero looks once.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let timeout = Duration::from_millis(200);
    /// let orders = leafid::Segment::builder("orders").store("http://127.0.0.1:1").timeout(timeout);
    /// let refused = orders.build()?.next().unwrap_err();
    /// assert_eq!(refused.code(), leafid::Code::TimedOut);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    pub(crate) fn built(self, config: Config, make: Make) -> Result<Generator<K>, Error> {
        let store = Store::chosen(self.store)?;
        if self.create {
            store.0.make(make)?;
        }
        Generator::of(config, store, self.timeout)
    }
}
