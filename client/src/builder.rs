//! The options that generators of both kinds have.

use std::time::Duration;

use crate::driver::Config;
use crate::generator::{Generator, Kind};
use crate::stores::Make;
use crate::{Error, Store};

/// How long a call waits unless its generator was built with another time.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// The options of a generator: of a [`Segment`](crate::Segment) or of a [`Snowflake`](crate::Snowflake), which have more
/// of their own.
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
    pub fn store<S: TryInto<Store, Error: Into<Error>>>(mut self, store: S) -> Self {
        self.store = Some(store.try_into().map_err(Into::into));
        self
    }

    /// Creates the store, and the tag or namespace, with the first ask, where they are missing: for stores in a file or
    /// a database.
    pub fn create(mut self) -> Self {
        self.create = true;
        self
    }

    /// How long a call waits; 10 s by default.
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
