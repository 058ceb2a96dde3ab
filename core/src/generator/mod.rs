//! The generators: what both kinds share, and each of the two.

mod asking;
mod backoff;
mod clocks;
mod drawing;
mod driving;
mod ending;
mod kind;
mod pending;
mod segment;
mod snowflake;
mod spread;
mod stance;
mod step;

pub use clocks::Clocks;
pub use driving::{Action, Event, Outcome};
pub use kind::Kind;
pub use segment::{Segment, SegmentConfig, SegmentIds, Segments};
pub use snowflake::{Snowflake, SnowflakeConfig, SnowflakeIds, Snowflakes};
pub use stance::Stance;
pub use step::StepPolicy;

use crate::line::{Ids, Line, OwnLine};
use crate::values::{Code, Offset, Stats, Token};

use kind::NewRange;
use pending::Pending;

/// Hands out IDs from leased ranges: a [`Segment`] or a [`Snowflake`].
///
/// It does no I/O. The host calls it with readings of its own clock, carries out its actions, and
/// reports their outcome:
///
/// | verb | what it does | when |
/// |---|---|---|
/// | [`next`](Generator::next), [`fill`](Generator::fill), [`fill_available`](Generator::fill_available) | one ID, exactly as many as asked for, as many as are at hand | any time |
/// | [`ready`](Generator::ready) | whether `n` can be had in one go; if not, asks for that many | before a `fill` |
/// | [`stance`](Generator::stance) | whether the caller of a refused draw raises or waits | after a refusal |
/// | [`wants`](Generator::wants), [`poll_at`](Generator::poll_at) | whether, and when, there is something to do | after drawing, after an event |
/// | [`poll`](Generator::poll) | the next action: send an ask to the store, write the state file | when `wants` is true |
/// | [`handle`](Generator::handle) | takes the outcome of an action | once per action |
/// | [`retire`](Generator::retire) | closes, and gives the rest of a window back | at the end |
/// | [`forget`](Generator::forget), [`resume`](Generator::resume) | drops every right; takes over another image's facts | after a fork, a snapshot |
///
/// One ask is out at a time. An answer that is late, repeated or for another ask does no harm. The
/// results of `poll_at` and `wants` may change with any call on `&mut self`.
///
/// ```
/// use leafid_core::{
///     Action, Code, Event, HostTime, MemoryStore, Outcome, Segment, SegmentConfig, Store,
/// };
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
/// let mut now = HostTime::new(0);
/// let refusal = orders.next(now).unwrap_err();
/// assert_eq!(refusal.code, Code::SegmentDry);
///
/// // A host's loop: a thread, a promise, or a test that moves the time itself.
/// while let Some(action) = orders.poll(now, [2; 16]) {
///     let event = match action {
///         Action::Ask(ask) => {
///             let (request, sent) = (ask.request, now);
///             let answer = store.lease_segment(&ask);
///             now = now.plus(3); // the store took 3 ms
///             Event::Answer { request, sent, answer }
///         }
///         Action::Write(_) => unreachable!("it keeps no state file"),
///     };
///     if let Outcome::Release(release) = orders.handle(event, now)? {
///         drop(store.release(&release));
///     }
/// }
/// let mut three = [0; 3];
/// orders.fill(now, &mut three)?;
/// assert_eq!(three, [1, 2, 3]);
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
///
/// Not `Clone`: two copies would hand out the same positions. [`Generator::image`] makes the copy
/// that a fork makes.
#[derive(Debug)]
pub struct Generator<K: Kind, L: Line = OwnLine> {
    kind: K,
    line: L,
    /// The range that waits behind the line's. Numbers only: a window that cannot be joined to the one
    /// in hand is on another worker, and is opened at once.
    next_range: Option<NewRange>,
    /// The highest end that was ever in hand, as a position: it is sent to the store, and outlives every
    /// right.
    have_until: Option<u64>,
    /// How many IDs at once the waiting caller was refused; 0 when none waits.
    wanted: u64,
    pending: Pending<K::Ask>,
    /// `None` before the first answer.
    offset: Option<Offset>,
    /// The first store that answered: an answer of another one stops this generator.
    store: Option<Token>,
    /// Why nothing will ever be handed out again.
    ended: Option<Code>,
    /// Whether nothing is asked for until a caller is refused.
    is_resting: bool,
    /// Whether the caller refused last waits only for a write of the state file.
    kept_back: bool,
    /// Where the line stood at the last wait, so that each wait counts once.
    waited_at: Option<u64>,
    stats: Stats,
}

impl<K: Kind, L: Line> Generator<K, L> {
    pub(crate) fn from_parts(kind: K, line: L, seed: u64) -> Generator<K, L> {
        Generator {
            kind,
            line,
            next_range: None,
            have_until: None,
            wanted: 0,
            pending: Pending::new(seed),
            offset: None,
            store: None,
            ended: None,
            is_resting: false,
            kept_back: false,
            waited_at: None,
            stats: Stats::default(),
        }
    }

    /// How positions become IDs, to draw from the line without this generator (the lock-free hot path).
    /// `None` until the first window brings the layout.
    pub fn ids(&self) -> Option<K::Ids> {
        self.kind.ids()
    }

    /// The counters: what the generator did so far, and has in hand.
    ///
    /// ```
    /// use leafid_core::{HostTime, MemoryStore, Segment, SegmentConfig, refill};
    /// let mut store: MemoryStore = MemoryStore::new([1; 16]);
    /// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
    /// let now = HostTime::new(0);
    /// refill(&mut orders, &mut store, || now, || [2; 16])?;
    /// orders.next(now)?;
    /// let stats = orders.stats();
    /// assert_eq!((stats.ids, stats.in_hand, stats.step), (1, 999, 1_000));
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    pub fn stats(&self) -> Stats {
        Stats {
            in_hand: self.in_hand(),
            step: self.kind.step(),
            offset_ms: self.line.offset().get(),
            last_code: self.failure(),
            ..self.stats
        }
    }

    pub(crate) fn kind(&self) -> &K {
        &self.kind
    }

    fn line_end(&self) -> u64 {
        match self.kind.ids() {
            Some(draw) if !self.line.is_closed() => draw.shape().end(self.line.bound()),
            _ => 0,
        }
    }

    fn in_hand(&self) -> u64 {
        let next = self.next_range.map_or(0, |range| range.positions.len());
        self.line_end().saturating_sub(self.line.cursor()).saturating_add(next)
    }

    fn drop_positions(&mut self, n: u64) {
        self.stats.dropped = self.stats.dropped.saturating_add(n);
    }
}
