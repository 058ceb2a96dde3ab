//! Generators of IDs made of time, worker number and sequence.

use std::path::PathBuf;
use std::time::Duration;

use leafid_core::{Code, Layout, Name, SnowflakeConfig};
use leafid_wire::Subject;

use crate::Error;
use crate::builder::Builder;
use crate::driver::{Config, Snowflakes, state_path};
use crate::generator::{Generator, OfNamespace};
use crate::stores::{Make, shown_name};

/// Stamps IDs with the store's time and a leased worker number, ascending within this generator.
///
/// It survives an outage of the store for as long as its window lasts: at most twice as long as the generator has
/// lived, or 10 s. Nothing is leased before the first ID.
///
/// ```
/// use leafid::{Layout, Snowflake};
///
/// let ids = Snowflake::builder("default").store("memory:").build()?;
/// let id = ids.next()?;
/// assert!(id < ids.next()?);
///
/// // What it says: the namespace has the layout `leaf` unless it was created with another.
/// let parts = Layout::LEAF.decompose(id as u64)?;
/// println!("{} ms, worker {}, number {}", parts.time.get(), parts.worker, parts.sequence);
/// # Ok::<(), leafid::Error>(())
/// ```
pub type Snowflake = Generator<OfNamespace>;

/// The options of a [`Snowflake`]: made by [`Snowflake::builder`].
pub type SnowflakeBuilder = Builder<OfNamespace>;

#[derive(Debug, Default)]
pub struct Options {
    owner: Option<String>,
    sticky: bool,
    strict: bool,
    layout: Option<Layout>,
    length: Option<Duration>,
    max_ahead: Option<Duration>,
    spread: Option<u32>,
    state: Option<PathBuf>,
}

impl Snowflake {
    /// A generator on the store in the environment variable `LEAFID_STORE`.
    ///
    /// # Errors
    /// `NAMESPACE_INVALID` for a namespace that does not match `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`; `REQUEST_INVALID`
    /// without that variable, and for a URL of no store.
    ///
    /// ```
    /// # unsafe { std::env::set_var("LEAFID_STORE", "memory:") };
    /// let ids = leafid::Snowflake::new("default")?;
    /// assert!(ids.next()? < ids.next()?);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn new(namespace: impl Into<String>) -> Result<Snowflake, Error> {
        Snowflake::builder(namespace).build()
    }

    /// A generator with options.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let ids = leafid::Snowflake::builder("default")
    ///     .store("memory:")
    ///     .length(Duration::from_secs(600))
    ///     .build()?;
    /// assert_eq!(ids.namespace(), "default");
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn builder(namespace: impl Into<String>) -> SnowflakeBuilder {
        Builder::new(namespace.into())
    }

    /// The namespace.
    ///
    /// ```
    /// # let ids = leafid::Snowflake::builder("default").store("memory:").build()?;
    /// assert_eq!(ids.namespace(), "default");
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn namespace(&self) -> &str {
        self.config().name()
    }
}

impl SnowflakeBuilder {
    /// This holder's label, 1 to 128 bytes without control characters; by default `hostname/pid`.
    ///
    /// ```
    /// let ids = leafid::Snowflake::builder("default").store("memory:").owner("shop-0").build()?;
    /// ids.next()?;
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.own.owner = Some(owner.into());
        self
    }

    /// The owner keeps its worker number until it has not been seen for 30 days; while that number is not free, as
    /// after a crash, the generator borrows another. It needs an [`owner`](Self::owner) that is the same after a
    /// restart.
    ///
    /// ```
    /// use leafid::{Snowflake, Store};
    ///
    /// let store = Store::memory()?;
    /// // `shop-0` is the name of a pod of a StatefulSet.
    /// let ids = Snowflake::builder("default").store(&store).owner("shop-0").sticky().build()?;
    /// ids.next()?;
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn sticky(mut self) -> Self {
        self.own.sticky = true;
        self
    }

    /// As [`sticky`](Self::sticky), and waits while its own number is not free (`WORKERS_EXHAUSTED`).
    ///
    /// ```
    /// let ids = leafid::Snowflake::builder("default").store("memory:").owner("shop-0").strict().build()?;
    /// ids.next()?;
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn strict(mut self) -> Self {
        (self.own.sticky, self.own.strict) = (true, true);
        self
    }

    /// The layout that the namespace must have (`LAYOUT_MISMATCH`); by default any.
    ///
    /// ```
    /// use leafid::Layout;
    ///
    /// let ids = leafid::Snowflake::builder("default").store("memory:").layout(Layout::JS53).build()?;
    /// assert!(ids.next()? < 1 << 53); // it fits a number of JavaScript
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn layout(mut self, layout: Layout) -> Self {
        self.own.layout = Some(layout);
        self
    }

    /// The longest window to ask for, in whole ms, at least 1 s; by default, and at most, the namespace's longest. An
    /// outage of the store is survived for the rest of a window; after a crash its worker number rests for as long.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let ids = leafid::Snowflake::builder("default").store("memory:").length(Duration::from_secs(600)).build()?;
    /// ids.next()?;
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn length(mut self, length: Duration) -> Self {
        self.own.length = Some(length);
        self
    }

    /// How far IDs may run ahead of the clock in a burst, in whole ms; 1 s by default.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let ids = leafid::Snowflake::builder("default").store("memory:").max_ahead(Duration::from_millis(50)).build()?;
    /// ids.next()?;
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn max_ahead(mut self, max_ahead: Duration) -> Self {
        self.own.max_ahead = Some(max_ahead);
        self
    }

    /// The sequence of a new tick begins at a random number below this; 0 begins at 0. By default 100, or a 16th of
    /// the sequence.
    ///
    /// ```
    /// use leafid::Layout;
    ///
    /// let ids = leafid::Snowflake::builder("default").store("memory:").spread(0).build()?;
    /// assert_eq!(Layout::LEAF.decompose(ids.next()? as u64)?.sequence, 0);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn spread(mut self, spread: u32) -> Self {
        self.own.spread = Some(spread);
        self
    }

    /// A state file on a local disk, used by this process alone, from which its next run starts at once although
    /// the store is away; or a folder, in which each process takes a free file. On Linux.
    ///
    /// ```
    /// # #[cfg(target_os = "linux")] {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("ids.state");
    /// use leafid::{Snowflake, Store};
    ///
    /// let store = Store::memory()?;
    /// let ids = Snowflake::builder("default").store(&store).state(&path).build()?;
    /// let before = ids.next()?;
    /// ids.close()?; // the window stays in the file
    /// let ids = Snowflake::builder("default").store(&store).state(&path).build()?;
    /// assert!(before < ids.next()?);
    /// # }
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn state(mut self, path: impl Into<PathBuf>) -> Self {
        self.own.state = Some(path.into());
        self
    }

    /// The generator. It asks for nothing yet.
    ///
    /// # Errors
    /// `NAMESPACE_INVALID` as [`Snowflake::new`]; `RANGE_INVALID` for a time of 2^32 ms or more; `STATE_INVALID` for an
    /// empty path; `NOT_ENABLED` for a state file on another system than Linux, and for a store that this build has no
    /// feature for; `REQUEST_INVALID` for an owner that cannot be, [`sticky`](Self::sticky) without one, without a
    /// store, and for a URL of no store.
    ///
    /// ```
    /// let without_owner = leafid::Snowflake::builder("default").store("memory:").sticky().build();
    /// assert_eq!(without_owner.unwrap_err().code(), leafid::Code::RequestInvalid);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn build(self) -> Result<Snowflake, Error> {
        let about = |refusal| Error::about(refusal, Subject::Namespace(&shown_name(&self.name)));
        let own = &self.own;
        // `-` is a placeholder: without `owner`, the process's label replaces it when the generator is built.
        let mut config = SnowflakeConfig::new(&self.name, "-").map_err(about)?;
        if let Some(owner) = &own.owner {
            config.owner = Name::owner(owner).map_err(|_| {
                let message = "`owner` must be 1 to 128 bytes without control characters";
                Error::new(Code::RequestInvalid, message)
            })?;
        }
        // Otherwise every start would keep another number for 30 days.
        if own.sticky && own.owner.is_none() {
            let message = "`sticky` and `strict` need an `owner` that is the same after a restart, such as the name of \
                           a pod of a StatefulSet";
            return Err(Error::new(Code::RequestInvalid, message));
        }
        (config.sticky, config.strict) = (own.sticky, own.strict);
        config.layout = own.layout;
        config.length_ms = own.length.map(|length| whole_ms("length", length)).transpose()?;
        if let Some(max_ahead) = own.max_ahead {
            config.max_ahead_ms = whole_ms("max_ahead", max_ahead)?;
        }
        config.spread = own.spread;
        let owner_is_given = own.owner.is_some();
        let state = own.state.as_deref().map(state_path).transpose()?;
        let config = Config::Snowflake(Snowflakes { config, owner_is_given, state });
        let make = Make::Namespace(self.name.clone(), own.layout, None);
        self.built(config, make)
    }
}

fn whole_ms(name: &str, length: Duration) -> Result<u32, Error> {
    u32::try_from(length.as_millis()).map_err(|_| {
        let message = format!("`{name}` must be below 2^32 ms, got {} s", length.as_secs());
        Error::new(Code::RangeInvalid, message)
    })
}
