//! Giving back and ending, and the counters.

use std::time::Duration;

use leafid_core::Code;

use crate::Error;
use crate::driver::State;
use crate::generator::Generator;
use crate::run::forget_blocks;

/// The longest wait of `close` and `release` for the last answer.
const LAST_RELEASE: Duration = Duration::from_secs(3);

/// The counters of a generator in this process: [`Generator::stats`].
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
    /// Closes the generator: the rest of a window is given back, the rest of a segment becomes a gap. Waits up to
    /// 3 s until that is sent. A forked child sends nothing on its parent's behalf. Closing twice is harmless;
    /// afterwards every handle gives `CLOSED`.
    ///
    /// A window that a state file keeps is left for the next run of the process.
    ///
    /// # Errors
    /// `INTERNAL` where the system gives no randomness.
    ///
    /// ```
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// orders.close()?;
    /// assert_eq!(orders.next().unwrap_err().code(), leafid::Code::Closed);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn close(&self) -> Result<(), Error> {
        self.retire(false)
    }

    /// As [`close`](Self::close), and gives back the window that a state file keeps, too: for a process that will not
    /// be started again.
    ///
    /// # Errors
    /// As `close`.
    ///
    /// ```
    /// # #[cfg(target_os = "linux")] {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("ids.state");
    /// use leafid::{Snowflake, Store};
    ///
    /// // A pod that is scaled away does not start again with this file.
    /// let ids = Snowflake::builder("default").store(&Store::memory()?).state(&path).build()?;
    /// ids.next()?;
    /// ids.close_for_good()?;
    /// assert!(ids.is_closed());
    /// # }
    /// # Ok::<(), leafid::Error>(())
    /// ```
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
    ///
    /// ```
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// orders.next()?;
    /// orders.release()?; // until tomorrow
    /// assert_eq!(orders.stats()?.in_hand, 0);
    /// assert!(orders.next()? > 1);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn release(&self) -> Result<(), Error> {
        let holding = self.driven().holding()?;
        holding.give_back()?;
        holding.within(LAST_RELEASE, State::has_given_back);
        Ok(())
    }

    /// Drops every range, the blocks of [`Local`](crate::Local)s and every connection at once, and sends nothing: for a
    /// memory image that was copied and resumed, which no program can detect. A fork is detected without it.
    ///
    /// # Errors
    /// `STATE_INVALID` if a state file could not be made void within 3 s: remove it before the next start.
    ///
    /// ```
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// assert_eq!(orders.next()?, 1);
    /// orders.forget()?; // in the copy, before it draws
    /// assert_eq!(orders.next()?, 1_001);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn forget(&self) -> Result<(), Error> {
        let holding = self.driven().holding()?;
        holding.forget();
        forget_blocks();
        if holding.within(LAST_RELEASE, State::is_void) {
            return Ok(());
        }
        let message = "the state file could not be made void within 3 s: remove it";
        Err(Error::new(Code::StateInvalid, message))
    }

    /// Whether the generator was closed, or stopped for good.
    ///
    /// ```
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// let other = orders.clone();
    /// orders.close()?;
    /// assert!(other.is_closed());
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn is_closed(&self) -> bool {
        self.driven().last_holding().is_closed()
    }

    /// The counters.
    ///
    /// # Errors
    /// `INTERNAL` where the system gives no randomness.
    ///
    /// ```
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// orders.next()?;
    /// let stats = orders.stats()?;
    /// assert_eq!((stats.grants, stats.failures, stats.in_hand), (1, 0, 999));
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn stats(&self) -> Result<Stats, Error> {
        let leafid_core::Stats { asks, grants, failures, in_hand, last_code, .. } =
            self.driven().holding()?.stats();
        Ok(Stats { asks, grants, failures, in_hand, last_code })
    }
}
