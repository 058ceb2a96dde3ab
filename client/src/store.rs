//! Stores as users name them.

use std::convert::Infallible;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use leafid_core::{Ask, Code, Grant, Release};

use crate::Error;
use crate::driver::{Holding, Hub};
use crate::host::fork_cell::ForkCell;
use crate::stores::{Backend, Memory, Transport, shown};
#[cfg(feature = "http")]
use crate::stores::{Credentials, Http};

/// The environment variable with the default store's URL.
const VARIABLE: &str = "LEAFID_STORE";

/// A store. Its generators in one process share a thread and a connection, which are begun with the first ask.
///
/// A URL does where it is used once; a `Store` is for what a URL cannot say, and for generators that share one.
///
/// ```
/// use leafid::{Segment, Snowflake, Store};
///
/// let store = Store::open("memory:")?;
/// let orders = Segment::builder("orders").store(&store).build()?;
/// let events = Snowflake::builder("default").store(&store).build()?;
/// assert!(orders.next()? < events.next()?);
/// # Ok::<(), leafid::Error>(())
/// ```
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
    /// `REQUEST_INVALID` for any other text, `NOT_ENABLED` for a store that this build has no feature for, `STATE_INVALID`
    /// where `LEAFID_JOURNAL` names no folder that can be used. Nothing is asked yet.
    ///
    /// ```
    /// use leafid::{Code, Store};
    ///
    /// let store = Store::open("https://ids.example.com")?;
    /// assert_eq!(format!("{store:?}"), "Store(https://ids.example.com)");
    /// assert_eq!(Store::open("ftp://ids").unwrap_err().code(), Code::RequestInvalid);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn open(url: &str) -> Result<Store, Error> {
        if let Some(name) = url.strip_prefix("memory:") {
            return Ok(Store(Memory::named(name)?));
        }
        let (feature, is_on) = match url.split_once(':').map_or("", |(scheme, _)| scheme) {
            "http" | "https" => ("http", cfg!(feature = "http")),
            "sqlite" => ("sqlite", cfg!(feature = "sqlite")),
            "postgres" | "postgresql" | "mysql" | "mariadb" => ("sql", cfg!(feature = "sql")),
            _ => ("", true),
        };
        if !is_on {
            let message = format!(
                "`{}` needs the feature `{feature}`: cargo add leafid --features {feature}",
                shown(url)
            );
            return Err(Error::new(Code::NotEnabled, message));
        }
        #[cfg(feature = "sqlite")]
        if matches!(feature, "sqlite" | "sql")
            && let Some(store) = crate::stores::Database::named(url)?
        {
            return Ok(Store(store));
        }
        #[cfg(feature = "http")]
        return Ok(Store(Http::named(url)?));
        #[cfg(not(feature = "http"))]
        Err(Error::new(Code::RequestInvalid, format!("`{}` is the URL of no store", shown(url))))
    }

    /// A server's store, with credentials. What they leave out comes from the environment: `LEAFID_TOKEN`, `LEAFID_CA`,
    /// `LEAFID_CERT` and `LEAFID_KEY`.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for anything but an `http://` or `https://` URL, for a file that cannot be used, and for a certificate
    /// without its key.
    ///
    /// ```
    /// use leafid::{Credentials, Segment, Store};
    ///
    /// let mine = Credentials { token: Some("the-token".to_owned()), ..Default::default() };
    /// let store = Store::http("https://ids.example.com", mine)?;
    /// let orders = Segment::builder("orders").store(&store).build()?; // asks for nothing yet
    /// # Ok::<(), leafid::Error>(())
    /// ```
    #[cfg(feature = "http")]
    pub fn http(url: &str, credentials: Credentials) -> Result<Store, Error> {
        Ok(Store(Arc::new(Http::new(url, credentials)?)))
    }

    /// A new store in this process's memory: it creates tags and namespaces on first use, and forgets its grants
    /// when it is dropped. For tests: it has room for 256 tags and for 8 namespaces with 64 worker numbers each.
    ///
    /// # Errors
    /// `INTERNAL` where the system gives no randomness.
    ///
    /// ```
    /// use leafid::{Segment, Store};
    ///
    /// // Each test has its own.
    /// let orders = Segment::builder("orders").store(&Store::memory()?).build()?;
    /// assert_eq!(orders.next()?, 1);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn memory() -> Result<Store, Error> {
        Ok(Store(Arc::new(Memory::new(Default::default())?)))
    }

    /// A store of one's own; `connect` makes a connection to it, for the thread that carries its asks. `place` names
    /// the store in messages. [`Transport`] has an example.
    pub fn custom(
        place: impl Into<String>,
        connect: impl Fn() -> Box<dyn Transport> + Send + Sync + 'static,
    ) -> Store {
        let (place, hub) = (place.into(), ForkCell::new(Hub::new()));
        Store(Arc::new(Custom { place, connect, hub }))
    }

    /// Makes a connection of one's own to the store, as its generators have one: for a [`Transport`] around it, or for
    /// `leafid::conform`. It blocks; that to a file or a database panics where tokio runs async functions, also when it
    /// is dropped: use it in `spawn_blocking`.
    ///
    /// ```
    /// use leafid::{Ask, Grant, Name, SegmentAsk, Store, Token};
    ///
    /// let mut store = Store::memory()?.connect();
    /// let ask = SegmentAsk::new(Name::tag("orders")?, Token::new([7; 16]));
    /// let Grant::Segment(grant) = store.ask(&Ask::Segment(ask))? else { unreachable!() };
    /// assert_eq!((grant.range.start, grant.range.end), (1, 1_001));
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn connect(&self) -> Box<dyn Transport> {
        Arc::clone(&self.0).connect()
    }

    /// The chosen store, or the environment's.
    pub(crate) fn chosen(given: Option<Result<Store, Error>>) -> Result<Store, Error> {
        if let Some(given) = given {
            return given;
        }
        match std::env::var_os(VARIABLE) {
            Some(url) if !url.is_empty() => Store::open(&url.to_string_lossy()),
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

    fn run(self: Arc<Self>, hub: &Hub) -> Arc<Holding> {
        hub.drive(&mut Caught { store: self, connection: None })
    }
}

/// A connection to a store of one's own. One that panics is given up, and the next ask makes another: the thread goes
/// on for all generators of the store.
struct Caught<F> {
    store: Arc<Custom<F>>,
    connection: Option<Box<dyn Transport>>,
}

impl<F: Fn() -> Box<dyn Transport>> Caught<F> {
    fn with<T>(
        &mut self,
        act: impl FnOnce(&mut dyn Transport) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (store, connection) = (&self.store, self.connection.take());
        let run = || {
            let mut connection = connection.unwrap_or_else(|| (store.connect)());
            (act(&mut *connection), connection)
        };
        let (done, connection) = catch_unwind(AssertUnwindSafe(run)).map_err(|_| {
            let message = format!("no answer from `{}`: it panicked", store.place);
            Error::new(Code::StoreUnavailable, message)
        })?;
        self.connection = Some(connection);
        done
    }
}

impl<F: Fn() -> Box<dyn Transport> + Send + Sync> Transport for Caught<F> {
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Error> {
        self.with(|connection| connection.ask(ask))
    }

    fn release(&mut self, release: &Release) -> Result<(), Error> {
        self.with(|connection| connection.release(release))
    }

    fn reconnect(&mut self) {
        self.connection.iter_mut().for_each(|connection| connection.reconnect());
    }
}
