//! Snowflake IDs: time, worker and sequence, stamped only inside a leased window of ticks.
//!
//! A window is a segment of time, spent by the same state machine; only asks and answers (`windows`)
//! and how a position becomes an ID (`ids`) differ.

mod age;
mod ids;
mod keeping;
mod lease;
mod state;
mod windows;

pub use ids::SnowflakeIds;
pub use windows::Snowflakes;

use crate::generator::Generator;
use crate::line::{Line, OwnLine};
use crate::values::{Code, Layout, Name, Refusal};

use age::Age;

/// The configuration of a snowflake generator.
///
/// ```
/// use leafid_core::{
///     Code, HostTime, Layout, MemoryStore, Snowflake, SnowflakeConfig, StoreTime, refill,
/// };
/// // This process expects the layout, keeps its number over restarts, and never runs ahead.
/// let config = SnowflakeConfig {
///     layout: Some(Layout::EDGE),
///     sticky: true,
///     max_ahead_ms: 0,
///     ..SnowflakeConfig::new("events", "host-1")?
/// };
/// let mut ids = Snowflake::new(config, 7)?;
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// store.set_clock(StoreTime::new(1_800_000_000_000));
/// let now = HostTime::new(0);
/// refill(&mut ids, &mut store, || now, || [2; 16])?;
/// let at_hand = ids.fill_available(now, &mut [0; 100])?;
/// assert!((61..=64).contains(&at_hand), "one tick of EDGE, but for where it begins");
/// let refusal = ids.next(now).unwrap_err();
/// assert_eq!((refusal.code, refusal.until), (Code::SequenceSpent, Some(now.plus(1))));
///
/// let wrong = SnowflakeConfig { sticky: false, strict: true, ..config };
/// assert_eq!(Snowflake::new(wrong, 7).unwrap_err().code, Code::RequestInvalid);
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SnowflakeConfig {
    /// The namespace, which has the worker numbers and the layout.
    pub namespace: Name,
    /// The label of this holder, such as `hostname/pid`; of a sticky one, a label that is the same after
    /// a restart.
    pub owner: Name,
    /// The layout that the caller expects: the store refuses if the namespace has another, with
    /// `LAYOUT_MISMATCH`. `None` for whichever the namespace has.
    pub layout: Option<Layout>,
    /// The longest window to ask for, in ms; `None` for all that the namespace allows. Windows grow to
    /// twice the age of their holder, from 10 s on. An outage of the store is survived for as long as
    /// the window in hand lasts.
    pub length_ms: Option<u32>,
    /// Whether the worker number stays reserved for this owner, until it was not seen for 30 days.
    /// While its own is not free (a crash's window still runs) the owner borrows another.
    pub sticky: bool,
    /// Whether a sticky owner takes no other number, but waits: `WORKERS_EXHAUSTED`.
    pub strict: bool,
    /// How far IDs may run ahead of the clock in a burst, in ms; 0 means never. 1,000 by default, in
    /// [`Layout::LEAF`] 4,096,000 IDs at once. A burst slows down what comes later: the rate over time
    /// stays [`Layout::per_second`].
    pub max_ahead_ms: u32,
    /// The sequence of each fresh tick begins at a random number below this, so that `id % shards` is
    /// even where few IDs are drawn; 0 begins at 0. `None` is `min(100, 2^sequence_bits / 16)`.
    pub spread: Option<u32>,
}

impl SnowflakeConfig {
    /// Takes the defaults for a namespace.
    ///
    /// # Errors
    /// `NAMESPACE_INVALID`, or `REQUEST_INVALID` for an owner of no or more than 128 bytes.
    pub fn new(namespace: &str, owner: &str) -> Result<SnowflakeConfig, Refusal> {
        Ok(SnowflakeConfig {
            namespace: Name::namespace(namespace)?,
            owner: Name::owner(owner)?,
            layout: None,
            length_ms: None,
            sticky: false,
            strict: false,
            max_ahead_ms: 1_000,
            spread: None,
        })
    }
}

/// Stamps IDs with the store's time and a leased worker number, ascending within this generator.
///
/// It stamps only ticks inside its leased window, which were granted to no other holder. So a wrong
/// clock may delay an ID but never causes a duplicate.
///
/// Choose it when IDs should sort by time over all processes, or tell when they were made. See
/// [`Generator`] for the verbs. Unlike numbers, a window runs out by itself, so the host calls
/// [`Generator::poll`] at [`Generator::poll_at`] also while nothing is drawn.
///
/// ```
/// use leafid_core::{
///     HostTime, Layout, MemoryStore, Snowflake, SnowflakeConfig, StoreTime, refill,
/// };
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// store.set_clock(StoreTime::new(1_800_000_000_000));
/// let mut ids = Snowflake::new(SnowflakeConfig::new("default", "host/1")?, 7)?;
/// // This host's clock counts from its own start.
/// let now = HostTime::new(250);
/// refill(&mut ids, &mut store, || now, || [2; 16])?;
/// let parts = Layout::LEAF.decompose(ids.next(now)?)?;
/// assert_eq!((parts.time, parts.worker), (StoreTime::new(1_800_000_000_000), 0));
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
pub type Snowflake<L = OwnLine> = Generator<Snowflakes, L>;

impl Snowflake {
    /// Builds a generator for one owner. `seed` is 64 random bits, which spread the sequence's start and
    /// the pauses between asks. Uniqueness does not depend on it.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for `strict` without `sticky`.
    pub fn new(config: SnowflakeConfig, seed: u64) -> Result<Snowflake, Refusal> {
        Snowflake::with_line(config, seed, OwnLine::new())
    }
}

impl<L: Line> Snowflake<L> {
    /// Builds a generator on this line, which must be new and used by no other generator. Many threads
    /// may draw from a [`SharedLine`](crate::SharedLine).
    ///
    /// # Errors
    /// As [`Snowflake::new`].
    pub fn with_line(config: SnowflakeConfig, seed: u64, line: L) -> Result<Snowflake<L>, Refusal> {
        if config.strict && !config.sticky {
            return Err(Code::RequestInvalid.into());
        }
        let source = Snowflakes {
            config,
            seed,
            ids: config.layout.map(|layout| SnowflakeIds::new(&config, layout, seed)),
            lease: None,
            length_ms: 0,
            longest_ms: None,
            age: Age::default(),
            keeping: None,
        };
        Ok(Generator::from_parts(source, line, seed))
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        self.kind().config.namespace.as_str()
    }

    /// The layout, once known: from the beginning if the configuration names it, else from the first
    /// window on.
    pub fn layout(&self) -> Option<Layout> {
        self.kind().ids.map(|ids| ids.layout())
    }
}
