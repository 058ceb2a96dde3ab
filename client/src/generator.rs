//! A generator of either kind, and its verbs.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use leafid_core::{Code, HostTime, Refusal};

use crate::Error;
use crate::driver::{Call, Config, Core, Drawn, State, each};
use crate::future::Waited;
use crate::run::{Ids, Local};

/// The longest wait of `close` and `release` for the last answer.
const LAST_RELEASE: Duration = Duration::from_secs(3);

mod sealed {
    pub trait Kind: 'static {
        /// The options of its own.
        type Options: Default + std::fmt::Debug;
        /// Whether the IDs are stamped with the time.
        const STAMPS: bool;
    }
}
pub(crate) use sealed::Kind;

/// Marks a generator of the numbers of a tag.
#[derive(Debug)]
pub enum OfTag {}

/// Marks a generator of snowflakes of a namespace.
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

/// The counters of a generator in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Asks that were sent to the store, those sent again included.
    pub asks: u64,
    /// Grants of the store.
    pub grants: u64,
    /// Refusals of the store, unusable answers, and missing answers.
    pub failures: u64,
    /// How many IDs are at hand: how far an outage of the store is survived.
    pub in_hand: u64,
    /// Why the last ask failed, until one succeeds.
    pub last_code: Option<Code>,
}

impl<K> Generator<K> {
    pub(crate) fn of(
        config: Config,
        store: crate::Store,
        timeout: Duration,
    ) -> Result<Generator<K>, Error> {
        let timeout = timeout.as_secs_f64();
        let driven = crate::driver::Generator::new(config, store.0, Default::default(), timeout)?;
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

    /// Closes the generator: the rest of a window is given back, the rest of a segment becomes a gap. Waits up to
    /// 3 s until that is sent. A forked child sends nothing on its parent's behalf. Closing twice is harmless;
    /// afterwards every handle gives `CLOSED`.
    ///
    /// A window that a state file keeps is left for the next run of the process.
    ///
    /// # Errors
    /// `INTERNAL` where the system gives no randomness.
    pub fn close(&self) -> Result<(), Error> {
        self.retire(false)
    }

    /// As [`close`](Self::close), and gives back the window that a state file keeps, too: for a process that will not
    /// be started again.
    ///
    /// # Errors
    /// As `close`.
    pub fn close_for_good(&self) -> Result<(), Error> {
        self.retire(true)
    }

    fn retire(&self, gives_up: bool) -> Result<(), Error> {
        let holding = self.driven().holding()?;
        holding.retire(gives_up);
        holding.within(LAST_RELEASE, State::is_done);
        Ok(())
    }

    /// Gives back what is in hand: the rest of a window becomes free for others, the rest of a segment a gap. The
    /// generator goes on: its next ID waits for a new range. For a process that pauses for long.
    ///
    /// # Errors
    /// `INTERNAL` where the system gives no randomness.
    pub fn release(&self) -> Result<(), Error> {
        let holding = self.driven().holding()?;
        holding.give_back()?;
        holding.within(LAST_RELEASE, State::has_given_back);
        Ok(())
    }

    /// Drops every range and every connection at once, and sends nothing: for a memory image that was copied and
    /// resumed, which no program can detect. A fork is detected without it.
    ///
    /// # Errors
    /// `STATE_INVALID` if a state file could not be made void within 3 s: remove it before the next start.
    pub fn forget(&self) -> Result<(), Error> {
        let holding = self.driven().holding()?;
        holding.forget();
        if holding.within(LAST_RELEASE, State::is_void) {
            return Ok(());
        }
        let message = "the state file could not be made void within 3 s: remove it";
        Err(Error::new(Code::StateInvalid, message))
    }

    /// Whether the generator was closed, or stopped for good.
    pub fn is_closed(&self) -> bool {
        self.driven().last_holding().is_closed()
    }

    /// The counters.
    ///
    /// # Errors
    /// `INTERNAL` where the system gives no randomness.
    pub fn stats(&self) -> Result<Stats, Error> {
        let leafid_core::Stats { asks, grants, failures, in_hand, last_code, .. } =
            self.driven().holding()?.stats();
        Ok(Stats { asks, grants, failures, in_hand, last_code })
    }
}

impl<K: Kind> Generator<K> {
    /// An ID, if one is at hand: asks for more in time, and never waits.
    #[inline]
    pub fn at_hand(&self) -> Option<i64> {
        match self.drawn() {
            Some(Drawn { id, calls_driver: false }) => Some(signed(id)),
            drawn => self.drawn_otherwise(drawn),
        }
    }

    /// The hot path, without a call of a function.
    #[inline]
    fn drawn(&self) -> Option<Drawn> {
        let holding = self.driven().last_holding();
        match K::STAMPS {
            true => holding.draw_calling_nothing::<true, false>(),
            false => holding.draw_calling_nothing::<false, false>(),
        }
    }

    /// Calls the driver where that is due; tries the other way if nothing was drawn.
    #[cold]
    fn drawn_otherwise(&self, drawn: Option<Drawn>) -> Option<i64> {
        let holding = self.driven().last_holding();
        let Some(Drawn { id, .. }) = drawn else { return holding.draw::<false>().map(signed) };
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
    pub fn ready(&self, n: u64) -> Result<(), Error> {
        self.wait(n, |core, now| each!(Core, core, core => core.ready(now, n)))
    }

    /// One ID, for an async function on any runtime: completes at once while an ID is at hand, else when the
    /// answer of the store wakes it. Dropping the future loses no ID.
    ///
    /// # Errors
    /// As [`next`](Self::next).
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
    pub fn ready_async(&self, n: u64) -> impl Future<Output = Result<(), Error>> + Send + use<K> {
        let this = self.clone();
        async move {
            let draw = move |core: &mut Core, now| each!(Core, core, core => core.ready(now, n));
            Waited::new(&this, n, draw).await
        }
    }

    /// An endless iterator; each item is as [`next`](Self::next).
    pub fn iter(&self) -> Ids<K> {
        Ids(self.clone())
    }

    /// A handle for one thread, which draws `block` IDs at a time: several threads then do not wait for each other.
    /// IDs ascend within the handle only, and what is left of a block when it is dropped is a gap. A snowflake's
    /// time is that of its block.
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
