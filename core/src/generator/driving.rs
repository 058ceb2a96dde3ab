//! Actions and events: what a host has to do for a generator, and how it reports the outcome.

use super::{Generator, Kind};
use crate::line::Line;
use crate::protocol::{Ask, Failure, Grant, Release, StateWrite};
use crate::values::{Code, HostTime, Refusal, Token};

/// A task of the host for a generator. At most one of each is under way at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is no allocator, and one at a time")]
pub enum Action<A> {
    /// Send this to the store and bring back the answer: [`Event::Answer`].
    Ask(A),
    /// Write this into the state file and sync it: [`Event::Written`], [`Event::NotWritten`].
    Write(StateWrite),
}

impl<A> Action<A> {
    /// The ask, if it is one: always, for a generator that keeps no state file.
    pub fn ask(self) -> Option<A> {
        match self {
            Action::Ask(ask) => Some(ask),
            Action::Write(_) => None,
        }
    }
}

impl<A: Into<Ask>> Action<A> {
    /// The same for either kind, for a host that has both.
    pub fn of_any(self) -> Action<Ask> {
        match self {
            Action::Ask(ask) => Action::Ask(ask.into()),
            Action::Write(write) => Action::Write(write),
        }
    }
}

/// The outcome of an [`Action`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<G> {
    /// The answer to the ask of this request, or why there is none.
    ///
    /// The store's time in the answer was read somewhere between `sent` and now, which is all that is
    /// known about it: do not round them.
    ///
    /// `STORE_UNAVAILABLE` and `TIMED_OUT` mean that no answer was read: the same ask, under the same
    /// request id, is sent again after the back-off. Any other code is an answer, and ends the
    /// request id. A grant that echoes another request is `GRANT_INVALID`.
    Answer {
        /// The request of the ask: [`Ask::request`].
        request: Token,
        /// The host's clock when the ask left.
        sent: HostTime,
        /// The store's answer.
        answer: Result<G, Failure>,
    },
    /// The write is on the disk.
    Written,
    /// The write failed, and may be in the file all the same. The file is abandoned: keep it locked as
    /// long as this generator lives. A next run may use the window in it, so the line stays below what
    /// the last write reserved, and another window is acquired that is never written to the file. Only
    /// writes that void the file still follow.
    NotWritten,
}

impl Event<Grant> {
    /// The same for a generator of one kind: a grant of the other is `GRANT_INVALID`.
    pub fn of<G: TryFrom<Grant, Error = Code>>(self) -> Event<G> {
        match self {
            Event::Answer { request, sent, answer } => {
                let answer = answer.and_then(|grant| G::try_from(grant).map_err(Failure::from));
                Event::Answer { request, sent, answer }
            }
            Event::Written => Event::Written,
            Event::NotWritten => Event::NotWritten,
        }
    }
}

/// The effect of an event.
///
/// ```
/// use leafid_core::{
///     Action, Ask, Event, HostTime, MemoryStore, Outcome, Snowflake, SnowflakeConfig, Store,
///     StoreTime,
/// };
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// store.set_clock(StoreTime::new(1_800_000_000_000));
/// let mut ids = Snowflake::new(SnowflakeConfig::new("default", "host/1")?, 7)?;
/// let now = HostTime::new(0);
/// let Some(Action::Ask(ask)) = ids.poll(now, [2; 16]) else { panic!() };
/// assert_eq!(ids.retire(), None, "closed while it waits: there is nothing to give back yet");
/// // The store grants a window all the same. It will not be used, so its number is released.
/// let ask = Ask::from(ask);
/// let event = Event::Answer { request: ask.request(), sent: now, answer: store.ask(&ask) };
/// let Outcome::Release(release) = ids.handle(event.of(), now)? else { panic!() };
/// assert!(store.release(&release).is_ok());
/// assert_eq!(ids.handle(event.of(), now), Ok(Outcome::Ignored), "it came twice");
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The event was applied. Of a write that failed: the file is abandoned from now on.
    Applied,
    /// The event belongs to nothing under way (late, repeated, foreign), or is no news.
    Ignored,
    /// The generator is closed, and the rest of its window is to be given back: send this.
    Release(Release),
}

impl<K: Kind, L: Line> Generator<K, L> {
    /// Whether [`Generator::poll`] would give an action: a comparison or two, for the hot path. A host
    /// with a driver (a thread, a timer) checks this after each draw and wakes the driver.
    #[inline]
    pub fn wants(&self, now: HostTime) -> bool {
        self.is_ask_due(now) || K::write_due(self).at.is_some_and(|at| at <= now)
    }

    /// The cursor from which on there may be something to do: a lock-free host compares the end of each
    /// run that it drew with this. 0 means always, `u64::MAX` never (windows go by
    /// [`Generator::poll_at`]).
    pub fn poll_from(&self) -> u64 {
        // While an ask is due by time, draws change nothing about it.
        let ask_from = if self.ask_at().is_none() { self.ask_from() } else { u64::MAX };
        ask_from.min(K::write_due(self).from)
    }

    /// When to call [`Generator::poll`] next (host's clock), if nothing else happens first; `None`
    /// while only a draw or an event can make it due. A time in the past means now.
    ///
    /// ```
    /// use leafid_core::{HostTime, MemoryStore, Snowflake, SnowflakeConfig, StoreTime, refill};
    /// let mut store: MemoryStore = MemoryStore::new([1; 16]);
    /// store.set_clock(StoreTime::new(1_800_000_000_000));
    /// let mut ids = Snowflake::new(SnowflakeConfig::new("default", "host/1")?, 7)?;
    /// let now = HostTime::new(0);
    /// assert!(ids.poll_at().is_some_and(|at| at <= now), "at once: it has nothing");
    /// refill(&mut ids, &mut store, || now, || [2; 16])?;
    /// // A first window has 10 s, and is renewed after 2 s, up to a fifth earlier.
    /// let at = ids.poll_at().unwrap();
    /// assert!((1_600..=2_000).contains(&at.since(now)));
    /// assert!(!ids.wants(at.plus(-1)) && ids.wants(at));
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    pub fn poll_at(&self) -> Option<HostTime> {
        [self.ask_at(), K::write_due(self).at].into_iter().flatten().min()
    }

    /// The next action, if any: call it until it gives none. `entropy` is 16 fresh random bytes, the
    /// request id of a new ask. An ask without an answer within 3 s is given out again unchanged: the
    /// store may have carried it out, and recognises an acquire by its id.
    ///
    /// ```
    /// use leafid_core::{HostTime, Segment, SegmentConfig};
    /// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
    /// let ms = HostTime::new;
    /// let ask = orders.poll(ms(0), [2; 16]).unwrap();
    /// assert_eq!(orders.poll(ms(2_999), [3; 16]), None, "one is out");
    /// assert_eq!(orders.poll(ms(3_000), [4; 16]), Some(ask), "the same, to be sent again");
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    ///
    /// Report the outcome to [`Generator::handle`].
    pub fn poll(&mut self, now: HostTime, entropy: [u8; 16]) -> Option<Action<K::Ask>> {
        match K::write(self, now) {
            Some(write) => Some(Action::Write(write)),
            None => self.poll_ask(now, entropy).map(Action::Ask),
        }
    }

    /// Takes the outcome of an action. Late, repeated and foreign events are harmless: [`Outcome`].
    ///
    /// After a failure of the store the generator backs off and asks again. It goes on handing out the
    /// IDs at hand, except after `STORE_CHANGED` and `STORE_WENT_BACK`, which stop it at once. The pause
    /// is 100 ms, doubling to 800 ms while callers have nothing and to 10 s while IDs are at hand, each
    /// ± 20 %; `retry_after_ms` where that is more, up to a minute.
    ///
    /// ```
    /// use leafid_core::{Action, Code, Event, HostTime, Segment, SegmentConfig};
    /// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
    /// let mut now = HostTime::new(0);
    /// for about in [100, 200, 400, 800, 800] {
    ///     let Some(Action::Ask(ask)) = orders.poll(now, [2; 16]) else { panic!() };
    ///     let answer = Err(Code::StoreUnavailable.into());
    ///     let failed = orders.handle(Event::Answer { request: ask.request, sent: now, answer }, now);
    ///     assert_eq!(failed.unwrap_err().code, Code::StoreUnavailable);
    ///     let again = orders.poll_at().unwrap();
    ///     assert!((about * 8 / 10..=about * 12 / 10).contains(&again.since(now)));
    ///     now = again;
    /// }
    /// assert_eq!(orders.failure(), Some(Code::StoreUnavailable));
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    ///
    /// # Errors
    /// Why the ask that was out failed: the store's code; `GRANT_INVALID` or `LAYOUT_MISMATCH` for a
    /// grant that cannot be used; `STORE_CHANGED` if another store answered.
    pub fn handle(&mut self, event: Event<K::Grant>, now: HostTime) -> Result<Outcome, Refusal> {
        let (request, sent, answer) = match event {
            Event::Answer { request, sent, answer } => (request, sent, answer),
            Event::Written => return Ok(K::written(self, true, now)),
            Event::NotWritten => return Ok(K::written(self, false, now)),
        };
        match answer {
            Ok(grant) if grant.into().request() == request => self.granted(grant, sent, now),
            Ok(_) => self.failed(request, Code::GrantInvalid.into(), now),
            Err(failure) => self.failed(request, failure, now),
        }
    }

    /// Stops asking until a caller is refused an ID that an ask could bring: for a host whose asks would
    /// fail, or that is idle.
    pub fn rest(&mut self) {
        self.is_resting = true;
    }
}
