//! Stores as users name them.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use leafid_core::Code;

use crate::Error;
use crate::driver::Hub;
use crate::host::fork_cell::ForkCell;
use crate::stores::{Backend, Memory, Transport, shown};
#[cfg(feature = "http")]
use crate::stores::{Credentials, Http};

/// The environment variable with the default store's URL.
const VARIABLE: &str = "LEAFID_STORE";

/// A store. Its generators in one process share a thread and a connection, which are begun with the first ask.
#[derive(Clone)]
pub struct Store(pub(crate) Arc<dyn Backend>);

impl fmt::Debug for Store {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.0.place();
        write!(to, "Store({})", place.as_deref().map_or("memory:".to_owned(), shown))
    }
}

impl Store {
    /// The store of a URL: `http://…` or `https://…`, a server's (`leafid serve`); with the features of these names
    /// also `sqlite:PATH`, `postgres://…` and `mysql://…`; `memory:` or `memory:NAME`, for tests. All that name the
    /// same store in one process share it.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for any other text. Nothing is asked yet.
    pub fn open(url: &str) -> Result<Store, Error> {
        if let Some(name) = url.strip_prefix("memory:") {
            return Ok(Store(Memory::named(name)?));
        }
        #[cfg(feature = "sqlite")]
        if let Some(store) = crate::stores::Database::named(url)? {
            return Ok(Store(store));
        }
        #[cfg(feature = "http")]
        return Ok(Store(Http::named(url)?));
        #[cfg(not(feature = "http"))]
        Err(Error::new(
            Code::NotEnabled,
            format!("`{}` is no URL of a store that this build has the feature for", shown(url)),
        ))
    }

    /// A server's store, with credentials.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for anything but an `http://` or `https://` URL, and for a file that cannot be used.
    #[cfg(feature = "http")]
    pub fn http(url: &str, credentials: Credentials) -> Result<Store, Error> {
        Ok(Store(Arc::new(Http::new(url, credentials)?)))
    }

    /// A new store in this process's memory: it creates tags and namespaces on first use, and forgets its grants
    /// when it is dropped. For tests.
    ///
    /// # Errors
    /// `INTERNAL` where the system gives no randomness.
    pub fn memory() -> Result<Store, Error> {
        Ok(Store(Arc::new(Memory::new(Default::default())?)))
    }

    /// A store of one's own; `connect` makes a connection to it, for the thread that carries its asks. `place` names
    /// the store in messages.
    pub fn custom(
        place: impl Into<String>,
        connect: impl Fn() -> Box<dyn Transport> + Send + Sync + 'static,
    ) -> Store {
        let (place, hub) = (place.into(), ForkCell::new(Hub::new()));
        Store(Arc::new(Custom { place, connect, hub }))
    }

    /// Makes a connection of one's own to the store, as its generators have one.
    pub fn connect(&self) -> Box<dyn Transport> {
        Arc::clone(&self.0).connect()
    }

    /// The chosen store, or the environment's.
    pub(crate) fn chosen(given: Option<Result<Store, Error>>) -> Result<Store, Error> {
        if let Some(given) = given {
            return given;
        }
        match std::env::var(VARIABLE) {
            Ok(url) if !url.is_empty() => Store::open(&url),
            _ => Err(Error::new(
                Code::RequestInvalid,
                format!(
                    "no store was given: pass `.store(\"http://127.0.0.1:8750\")` (or `\"memory:\"` in a test), or \
                     set `{VARIABLE}` to such a URL"
                ),
            )),
        }
    }
}

impl TryFrom<&str> for Store {
    type Error = Error;

    fn try_from(url: &str) -> Result<Store, Error> {
        Store::open(url)
    }
}

impl TryFrom<String> for Store {
    type Error = Error;

    fn try_from(url: String) -> Result<Store, Error> {
        Store::open(&url)
    }
}

impl From<&Store> for Store {
    fn from(store: &Store) -> Store {
        store.clone()
    }
}

impl From<Infallible> for Error {
    fn from(never: Infallible) -> Error {
        match never {}
    }
}

struct Custom<F> {
    place: String,
    connect: F,
    hub: ForkCell<Hub>,
}

impl<F: Fn() -> Box<dyn Transport> + Send + Sync + 'static> Backend for Custom<F> {
    fn hub(&self) -> &ForkCell<Hub> {
        &self.hub
    }

    fn place(&self) -> Option<String> {
        Some(self.place.clone())
    }

    fn connect(self: Arc<Self>) -> Box<dyn Transport> {
        (self.connect)()
    }
}
