//! A generator of either kind, and its verbs.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use leafid_core::{HostTime, Refusal};

use crate::Error;
use crate::driver::{Call, Chosen, Config, Core, Drawn, Uncounted, each};
use crate::future::Waited;
use crate::run::{Ids, Local};

mod ending;
pub use ending::Stats;

mod sealed {
    pub trait Kind: 'static {
        /// The options of its own.
        type Options: Default + std::fmt::Debug;
        /// Whether the IDs are stamped with the time.
        const STAMPS: bool;
    }
}
pub(crate) use sealed::Kind;

/// Marks a generator of the numbers of a tag: [`Segment`](crate::Segment).
#[derive(Debug)]
pub enum OfTag {}

/// Marks a generator of the snowflakes of a namespace: [`Snowflake`](crate::Snowflake).
#[derive(Debug)]
pub enum OfNamespace {}

impl Kind for OfTag {
    type Options = crate::segment::Options;
    const STAMPS: bool = false;
}

impl Kind for OfNamespace {
    type Options = crate::snowflake::Options;
    const STAMPS: bool = true;
}

/// A generator of IDs, [`Segment`](crate::Segment) or [`Snowflake`](crate::Snowflake).
///
/// A clone is another handle of the same generator, and cheap. Each handle may be used by any number of threads at
/// once, and by a forked child, which leases ranges of its own. The last handle that is dropped closes the
/// generator.
///
/// Every ID is positive and less than 2^63, so it is an `i64`, as databases have it.
///
/// ```
/// use std::thread;
///
/// let orders = leafid::Segment::builder("orders").store("memory:").build()?;
/// let other = orders.clone();
/// let there = thread::spawn(move || other.next()).join().unwrap()?;
/// assert_ne!(orders.next()?, there);
/// # Ok::<(), leafid::Error>(())
/// ```
pub struct Generator<K> {
    driven: Arc<crate::driver::Generator>,
    kind: PhantomData<fn() -> K>,
}

impl<K> Clone for Generator<K> {
    fn clone(&self) -> Self {
        Generator { driven: Arc::clone(&self.driven), kind: PhantomData }
    }
}

impl<K> fmt::Debug for Generator<K> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Generator({})", self.config().subject())
    }
}

impl<K> Generator<K> {
    pub(crate) fn of(
        config: Config,
        store: crate::Store,
        timeout: Duration,
    ) -> Result<Generator<K>, Error> {
        let (store, timeout) = (Chosen::given(store.0, false), timeout.as_secs_f64());
        let driven = crate::driver::Generator::new(config, store, Default::default(), timeout)?;
        Ok(Generator { driven: Arc::new(driven), kind: PhantomData })
    }

    pub(crate) fn driven(&self) -> &crate::driver::Generator {
        &self.driven
    }

    pub(crate) fn config(&self) -> &Config {
        &self.driven.config
    }

    pub(crate) fn call(&self, count: u64) -> Call {
        Call::new(count, self.driven.timeout)
    }

    /// Tries until it succeeds, until waiting cannot help, or until the time is up.
    #[cold]
    fn wait<T>(
        &self,
        count: u64,
        mut draw: impl FnMut(&mut Core, HostTime) -> Result<T, Refusal>,
    ) -> Result<T, Error> {
        let call = self.call(count);
        loop {
            let caller = self.driven().holding()?.enter();
            match self.driven().attempt(&caller, &call, &mut draw)? {
                Ok(value) => return Ok(value),
                Err(why) => {
                    caller.warn();
                    caller.rest(&why);
                }
            }
        }
    }
}

impl<K: Kind> Generator<K> {
    /// An ID, if one is at hand: asks for more in time, and never waits.
    ///
    /// ```
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// assert_eq!(orders.at_hand(), None); // nothing was leased yet
    /// orders.ready(1)?;
    /// assert_eq!(orders.at_hand(), Some(1));
    /// # Ok::<(), leafid::Error>(())
    /// ```
    #[inline]
    pub fn at_hand(&self) -> Option<i64> {
        match self.drawn() {
            Some(Drawn { id, calls_driver: false }) => Some(signed(id)),
            drawn => self.drawn_otherwise(drawn).or_else(|| self.drawn_anew()),
        }
    }

    /// Draws with the lock, which opens the next range where the line is used up.
    #[cold]
    fn drawn_anew(&self) -> Option<i64> {
        self.driven().holding().ok()?.draw_anew().map(signed)
    }

    /// The hot path, without a call of a function.
    #[inline]
    fn drawn(&self) -> Option<Drawn> {
        let holding = self.driven().last_holding();
        match K::STAMPS {
            true => holding.draw_calling_nothing::<true, Uncounted>(),
            false => holding.draw_calling_nothing::<false, Uncounted>(),
        }
    }

    /// Calls the driver where that is due; tries the other way if nothing was drawn.
    #[cold]
    fn drawn_otherwise(&self, drawn: Option<Drawn>) -> Option<i64> {
        let holding = self.driven().last_holding();
        let Some(Drawn { id, .. }) = drawn else { return holding.draw::<Uncounted>().map(signed) };
        holding.call_driver();
        Some(signed(id))
    }

    /// One ID. While none is at hand, waits up to the time-out of the generator (10 s unless it was built with
    /// another).
    ///
    /// In an async function use [`next_async`](Self::next_async): this one blocks its thread.
    ///
    /// # Errors
    /// `TIMED_OUT`, with the last failure as its source. Errors that waiting cannot cure at once, such as
    /// `TAG_UNKNOWN`, `UNAUTHORIZED` or `CLOSED`.
    ///
    /// ```
    /// let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// let (first, second) = (orders.next()?, orders.next()?);
    /// assert!(first < second);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    #[inline]
    pub fn next(&self) -> Result<i64, Error> {
        match self.drawn() {
            Some(Drawn { id, calls_driver: false }) => Ok(signed(id)),
            drawn => self.next_otherwise(drawn),
        }
    }

    #[cold]
    fn next_otherwise(&self, drawn: Option<Drawn>) -> Result<i64, Error> {
        match self.drawn_otherwise(drawn) {
            Some(id) => Ok(id),
            None => self.wait(1, |core, now| each!(Core, core, core => core.next(now))).map(signed),
        }
    }

    /// `n` IDs, ascending: all of them, or an error, and then none is used up. Waits as [`next`](Self::next).
    ///
    /// # Errors
    /// As `next`, and `COUNT_INVALID` at once for more than a single call can ever get.
    ///
    /// ```
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// assert_eq!(orders.take(3)?, [1, 2, 3]);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn take(&self, n: usize) -> Result<Vec<i64>, Error> {
        let mut ids = Vec::new();
        self.wait(n as u64, |core, now| taken(core, now, &mut ids, n))?;
        Ok(ids)
    }

    /// Fills a slice with IDs, ascending: all of it, or an error, and the slice is unchanged. Waits, and is limited,
    /// as [`take`](Self::take).
    ///
    /// # Errors
    /// As `take`.
    ///
    /// ```
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// let mut ids = [0; 500];
    /// orders.fill(&mut ids)?;
    /// assert!(ids.is_sorted());
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn fill(&self, ids: &mut [i64]) -> Result<(), Error> {
        if ids.is_empty() {
            return Ok(());
        }
        let ids = unsigned(ids);
        self.wait(ids.len() as u64, |core, now| each!(Core, core, core => core.fill(now, ids)))
    }

    /// Waits until `n` IDs are at hand, so that an outage of the store after that is not felt for so many. Draws
    /// nothing and reserves nothing: other threads draw from the same IDs.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    ///
    /// ```
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// orders.ready(500)?; // when the service starts
    /// assert!(orders.stats()?.in_hand >= 500);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn ready(&self, n: u64) -> Result<(), Error> {
        self.wait(n, |core, now| each!(Core, core, core => core.ready(now, n)))
    }

    /// One ID, for an async function on any runtime: completes at once while an ID is at hand, else when the
    /// answer of the store wakes it. Dropping the future loses no ID.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// assert_eq!(orders.next_async().await?, 1);
    /// # Ok::<(), leafid::Error>(())
    /// # }).unwrap();
    /// ```
    pub fn next_async(&self) -> impl Future<Output = Result<i64, Error>> + Send + use<K> {
        let this = self.clone();
        async move {
            match this.at_hand() {
                Some(id) => Ok(id),
                None => {
                    let draw = |core: &mut Core, now| each!(Core, core, core => core.next(now));
                    Waited::new(&this, 1, draw).await.map(signed)
                }
            }
        }
    }

    /// As [`take`](Self::take), for an async function.
    ///
    /// # Errors
    /// As `take`.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// assert_eq!(orders.take_async(3).await?, [1, 2, 3]);
    /// # Ok::<(), leafid::Error>(())
    /// # }).unwrap();
    /// ```
    pub fn take_async(
        &self,
        n: usize,
    ) -> impl Future<Output = Result<Vec<i64>, Error>> + Send + use<K> {
        let this = self.clone();
        async move {
            let mut ids = Vec::new();
            let draw = |core: &mut Core, now| taken(core, now, &mut ids, n);
            Waited::new(&this, n as u64, draw).await?;
            Ok(ids)
        }
    }

    /// As [`ready`](Self::ready), for an async function.
    ///
    /// # Errors
    /// As `ready`.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// orders.ready_async(500).await?;
    /// assert!(orders.stats()?.in_hand >= 500);
    /// # Ok::<(), leafid::Error>(())
    /// # }).unwrap();
    /// ```
    pub fn ready_async(&self, n: u64) -> impl Future<Output = Result<(), Error>> + Send + use<K> {
        let this = self.clone();
        async move {
            let draw = move |core: &mut Core, now| each!(Core, core, core => core.ready(now, n));
            Waited::new(&this, n, draw).await
        }
    }

    /// An endless iterator; each item is as [`next`](Self::next).
    ///
    /// ```
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// let first: Vec<i64> = orders.iter().take(3).collect::<Result<_, _>>()?;
    /// assert_eq!(first, [1, 2, 3]);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn iter(&self) -> Ids<K> {
        Ids(self.clone())
    }

    /// A handle for one thread, which draws `block` IDs at a time: several threads then do not wait for each other.
    /// IDs ascend within the handle only, and what is left of a block when it is dropped is a gap. A snowflake's
    /// time is that of its block.
    ///
    /// ```
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// # orders.ready(200)?;
    /// let (mut one, mut other) = (orders.local(100), orders.local(100)); // for two threads
    /// assert_eq!((one.next()?, other.next()?), (1, 101));
    /// assert_eq!((one.next()?, other.next()?), (2, 102));
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn local(&self, block: u32) -> Local<K> {
        Local::new(self.clone(), block)
    }
}

/// Draws `n` IDs, with memory for them only if there are as many.
fn taken(core: &mut Core, now: HostTime, ids: &mut Vec<i64>, n: usize) -> Result<(), Refusal> {
    if n > 0 {
        each!(Core, &mut *core, core => core.ready(now, n as u64))?;
        ids.resize(n, 0);
        each!(Core, core, core => core.fill(now, unsigned(ids)))?;
    }
    Ok(())
}

#[inline]
pub(crate) fn signed(id: u64) -> i64 {
    id as i64
}

/// The same memory as unsigned numbers.
#[expect(unsafe_code, reason = "a slice of another integer of the same size")]
fn unsigned(ids: &mut [i64]) -> &mut [u64] {
    // SAFETY: both types have the same size and alignment, and no invalid values.
    unsafe { slice::from_raw_parts_mut(ids.as_mut_ptr().cast(), ids.len()) }
}
