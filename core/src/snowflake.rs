//! Snowflake IDs: time, worker and sequence, stamped only inside a leased window of ticks.

use crate::ask::{AcquireAsk, Ask, Grant, Release, RenewAsk, WindowGrant};
use crate::code::{Code, Refusal};
use crate::draw::Draw;
use crate::layout::Layout;
use crate::line::{Line, OwnLine, Shape, Stop};
use crate::name::Name;
use crate::range::{LINE_END, Range};
use crate::reserve::Reserve;
use crate::source::{Facts, Offer, Source};
use crate::spread::Spread;
use crate::time::Millis;
use crate::token::Token;

/// The first renewal comes after this, so that a process that crashes at once blocks its number
/// for a minute only, and one that lives has a full window soon.
const FIRST_RENEWAL_MS: i64 = 2_000;
/// A window is renewed at least so often.
const RENEWAL_MS: i64 = 60_000;
/// And never more often than this.
const SHORTEST_RENEWAL_MS: i64 = 100;
/// A holder that has just begun asks for a window of this length, and later for twice its age: one
/// that crashes at once, or lives for one task, blocks its number no longer than that.
const YOUNG_WINDOW_MS: u32 = 10_000;

/// What a snowflake generator is built from.
#[derive(Clone, Copy, Debug)]
pub struct SnowflakeConfig {
    /// The namespace: whose worker numbers, which layout.
    pub namespace: Name,
    /// The label of this holder, such as `hostname/pid`.
    pub owner: Name,
    /// The layout that the caller counts on; the namespace's own if not said.
    pub layout: Option<Layout>,
    /// How long a window to ask for at most, in ms; all that the namespace allows if not said. A
    /// window is no longer than twice the age of its holder, or 10 s. An outage of the store is
    /// survived for as long as the window in hand lasts.
    pub length_ms: Option<u32>,
    /// Whether the worker number shall stay this owner's.
    pub sticky: bool,
    /// Whether, of a sticky owner, no other number will do.
    pub strict: bool,
    /// How far IDs may run ahead of the clock in a burst, in ms; 0 is never. 1,000 by default.
    pub max_ahead_ms: u32,
    /// The sequence of a fresh tick begins below this; `min(100, 2^sequence_bits / 16)` if not
    /// said, 0 is at zero.
    pub spread: Option<u32>,
}

impl SnowflakeConfig {
    /// The defaults for a namespace.
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
/// ```
/// use leafid_core::{Layout, Millis, MemoryStore, Snowflake, SnowflakeConfig, refill};
/// let now = Millis::new(1_800_000_000_000);
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// store.set_clock(now);
/// let mut ids = Snowflake::new(SnowflakeConfig::new("default", "host/1")?, 7)?;
/// refill(&mut ids, &mut store, || now, || [2; 16])?;
/// let parts = Layout::LEAF.decompose(ids.next(now)?)?;
/// assert_eq!((parts.time, parts.worker), (now, 0));
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
pub type Snowflake<L = OwnLine> = Reserve<WindowSource, L>;

impl Snowflake {
    /// A generator of one owner. `seed` is 64 random bits.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for `strict` without `sticky`.
    pub fn new(config: SnowflakeConfig, seed: u64) -> Result<Snowflake, Refusal> {
        Snowflake::with_line(config, seed, OwnLine::new())
    }
}

impl<L: Line> Snowflake<L> {
    /// A generator that spends this line.
    ///
    /// # Errors
    /// As [`Snowflake::new`].
    pub fn with_line(config: SnowflakeConfig, seed: u64, line: L) -> Result<Snowflake<L>, Refusal> {
        if config.strict && !config.sticky {
            return Err(Code::RequestInvalid.into());
        }
        let source = WindowSource {
            config,
            seed,
            stamp: config.layout.map(|layout| Stamp::new(&config, layout, seed)),
            lease: None,
            length_ms: 0,
            longest_ms: None,
            age: Age::default(),
        };
        Ok(Reserve::from_parts(source, line, seed))
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        self.source().config.namespace.as_str()
    }

    /// The layout, once it is known.
    pub fn layout(&self) -> Option<Layout> {
        self.source().stamp.map(|stamp| stamp.layout)
    }
}

/// How positions on a worker's time become IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    layout: Layout,
    spread: Spread,
    max_ahead_ms: u32,
    seed: u64,
}

impl Stamp {
    fn new(config: &SnowflakeConfig, layout: Layout, seed: u64) -> Stamp {
        let per_tick = layout.per_tick();
        let spread = match config.spread {
            None => Spread::default_for(per_tick),
            Some(below) => Spread::below(below, per_tick),
        };
        Stamp { layout, spread, max_ahead_ms: config.max_ahead_ms, seed }
    }

    /// The layout.
    pub fn layout(&self) -> Layout {
        self.layout
    }
}

impl Draw for Stamp {
    #[inline]
    fn shape(self) -> Shape {
        Shape::ticks(self.layout.time_bits(), self.layout.sequence_bits())
    }

    /// The floor is the first position of now's tick, plus the spread where the tick is fresh:
    /// not when the cursor is close behind it, or the burst that brought it there would skip
    /// numbers. The ceiling is the first position more than `max_ahead` after now.
    #[inline]
    fn limits<L: Line>(self, line: &mut L, host: Millis) -> Result<Range, Refusal> {
        // Without a window there is no time either: the host's clock may show anything.
        if line.is_closed() {
            return Err(Code::WindowSpent.into());
        }
        let now = line.now(host);
        let tick = self.layout.tick(now)?;
        let first = self.shape().position(tick);
        if bug!(FollowsClock) && self.shape().tick(line.cursor()) > tick.saturating_add(1) {
            line.put_cursor(first);
        }
        let fresh = line.cursor() < first.saturating_sub(self.layout.per_tick() / 2);
        let start = if fresh { self.spread.start(self.seed, tick) } else { 0 };
        let ahead =
            now.plus(i64::from(self.max_ahead_ms).saturating_add(self.layout.tick_ms().into()));
        // Beyond the layout it is the window that ends, however many are wanted at once.
        let ceiling = match self.layout.tick(ahead) {
            Ok(ahead) => self.shape().position(ahead),
            Err(_) => u64::MAX,
        };
        Ok(Range::new(first | start, ceiling))
    }

    #[inline]
    fn id(self, position: u64, worker: u32) -> u64 {
        self.layout.stamp(position, worker)
    }

    fn refusal(self, stop: Stop, limits: Range, offset: i64) -> Refusal {
        let Stop::Ceiling(position) = stop else {
            return Code::WindowSpent.into();
        };
        let shape = self.shape();
        let tick = shape.tick(position);
        let behind = tick > shape.tick(limits.end).saturating_add(1);
        let code = if behind { Code::ClockBehind } else { Code::SequenceSpent };
        let reached = self.layout.time(tick).plus(i64::from(self.max_ahead_ms).saturating_neg());
        Refusal::until(code, reached.plus(offset.saturating_neg()))
    }
}

#[derive(Clone, Copy, Debug)]
struct Lease {
    worker: u32,
    key: Token,
    store: Token,
    end_tick: u64,
}

/// How long a holder has lived, by what its clock went forward between its asks.
#[derive(Clone, Copy, Debug, Default)]
struct Age {
    ms: u32,
    read: Option<Millis>,
}

impl Age {
    fn at(&mut self, now: Millis) -> u32 {
        let passed = self.read.map_or(0, |before| now.since(before).max(0));
        self.ms = self.ms.saturating_add(u32::try_from(passed).unwrap_or(u32::MAX));
        self.read = Some(now);
        self.ms
    }
}

/// Where windows come from: a namespace of a store.
#[derive(Clone, Copy, Debug)]
pub struct WindowSource {
    config: SnowflakeConfig,
    seed: u64,
    stamp: Option<Stamp>,
    lease: Option<Lease>,
    /// What was left of the window in hand when it was granted.
    length_ms: u64,
    /// The namespace's longest window, once it is known.
    longest_ms: Option<u32>,
    age: Age,
}

impl WindowSource {
    /// How long a window to ask for.
    fn window_ms(&mut self, now: Millis) -> Option<u32> {
        let grown = self.age.at(now).saturating_mul(2).max(YOUNG_WINDOW_MS);
        match self.config.length_ms {
            Some(most) => Some(most.min(grown)),
            // All that there is, if it has lived for long enough.
            None => Some(grown).filter(|grown| self.longest_ms.is_none_or(|all| *grown < all)),
        }
    }
}

impl Source for WindowSource {
    type Draw = Stamp;
    const HOLDS_ASIDE: bool = false;

    #[inline]
    fn draw(&self) -> Option<Stamp> {
        self.stamp
    }

    fn dry(&self) -> Code {
        Code::WindowSpent
    }

    /// Windows are asked for by time, whatever was drawn.
    #[inline]
    fn mark(&self, _facts: &Facts) -> u64 {
        0
    }

    fn ask(&mut self, facts: &Facts, request: Token, now: Millis) -> Ask {
        let length_ms = self.window_ms(now);
        match self.lease {
            Some(lease) => Ask::Renew(RenewAsk {
                namespace: self.config.namespace,
                request,
                store: lease.store,
                worker: lease.worker,
                key: lease.key,
                have_until: lease.end_tick,
                length_ms,
            }),
            None => Ask::Acquire(AcquireAsk {
                namespace: self.config.namespace,
                request,
                store: facts.store,
                owner: self.config.owner,
                layout: self.config.layout,
                length_ms,
                sticky: self.config.sticky,
                strict: self.config.strict,
            }),
        }
    }

    fn look_over(
        &self,
        ask: &Ask,
        grant: &Grant,
        _facts: &Facts,
        store_now: Millis,
    ) -> Result<Offer, Code> {
        let Grant::Window(grant) = grant else { return Err(Code::GrantInvalid) };
        if self.stamp.is_some_and(|stamp| stamp.layout != grant.layout) {
            return Err(Code::LayoutMismatch);
        }
        let layout = grant.layout;
        let WindowGrant { worker, ticks, .. } = *grant;
        if ticks.start > ticks.end
            || ticks.end > layout.last_end()
            || u64::from(worker) >= layout.workers()
        {
            return Err(Code::GrantInvalid);
        }
        let extends = match (ask, self.lease) {
            (Ask::Renew(ask), Some(lease)) => {
                let in_hand = ticks.start == lease.end_tick || bug!(RenewalAnyEnd);
                if ask.key != lease.key || worker != lease.worker || !in_hand {
                    return Err(Code::GrantInvalid);
                }
                true
            }
            (Ask::Acquire(_), _) if !ticks.is_empty() => false,
            _ => return Err(Code::GrantInvalid),
        };
        let over = layout.tick(store_now).map_err(|refusal| refusal.code)? >= ticks.end;
        if over && !ticks.is_empty() {
            return Err(Code::GrantInvalid);
        }
        let end_tick = if bug!(RoundTwice) { ticks.end.saturating_add(1) } else { ticks.end };
        let shape = Shape::ticks(layout.time_bits(), layout.sequence_bits());
        let positions = Range::new(shape.position(ticks.start), shape.position(end_tick));
        Ok(Offer { positions, bound: shape.bound(worker, end_tick), extends })
    }

    fn accept(&mut self, ask: &Ask, grant: &Grant, _now: Millis, store_now: Millis) -> i64 {
        let Grant::Window(grant) = grant else { return 0 };
        let key = match (ask, self.lease) {
            (Ask::Renew(_), Some(lease)) => lease.key,
            _ => grant.request,
        };
        self.stamp = Some(Stamp::new(&self.config, grant.layout, self.seed));
        self.lease = Some(Lease {
            worker: grant.worker,
            key,
            store: grant.store,
            end_tick: grant.ticks.end,
        });
        self.longest_ms = Some(grant.max_window_ms);
        let left = grant.layout.time(grant.ticks.end).since(store_now);
        self.length_ms = u64::try_from(left).unwrap_or(0);
        let longest = match ask {
            Ask::Renew(_) => RENEWAL_MS,
            _ => FIRST_RENEWAL_MS,
        };
        if bug!(NeverRenewsEarly) {
            return left;
        }
        (left / 3).clamp(SHORTEST_RENEWAL_MS, longest)
    }

    fn refused(&mut self, code: Code) -> bool {
        code == Code::LeaseLost && self.lease.take().is_some()
    }

    /// What lies up to `max_ahead` after now, or in half a window: the other half may be over
    /// until a window that was asked for is here.
    fn most(&self) -> u64 {
        let Some(stamp) = self.stamp else { return LINE_END };
        let Stamp { layout, max_ahead_ms, spread, .. } = stamp;
        let ahead = layout.in_ticks(max_ahead_ms.into()).saturating_add(1);
        let longest_ms = self.longest_ms.unwrap_or(u32::MAX);
        let window = layout.ticks(self.config.length_ms.unwrap_or(u32::MAX).min(longest_ms).into());
        let ticks = ahead.min((window / 2).max(1));
        ticks.saturating_mul(layout.per_tick()).saturating_sub(spread.most()).max(1)
    }

    fn unopened(&self, ask: &Ask, grant: &Grant) -> Option<Release> {
        match (ask, grant) {
            (Ask::Acquire(ask), Grant::Window(grant)) => Some(Release {
                namespace: self.config.namespace,
                store: grant.store,
                worker: grant.worker,
                key: ask.request,
                unused_from: grant.ticks.start,
            }),
            _ => None,
        }
    }

    fn give_up(&mut self, cursor: u64) -> Option<Release> {
        let (lease, stamp) = (self.lease.take()?, self.stamp?);
        Some(Release {
            namespace: self.config.namespace,
            store: lease.store,
            worker: lease.worker,
            key: lease.key,
            unused_from: stamp.shape().first_unused_tick(cursor).min(lease.end_tick),
        })
    }

    fn forget(&mut self) {
        self.age = Age::default();
        if !bug!(ForgetKeepsLease) {
            self.lease = None;
        }
    }

    fn step(&self) -> u64 {
        self.length_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryStore, refill};

    #[test]
    fn at_the_end_of_the_layout_it_is_the_window_that_is_spent() {
        let layout = Layout::new(1_000_000, 1_000, 4, 2, 4).unwrap();
        let now = Millis::new(layout.last().get() - 500);
        let mut store: MemoryStore = MemoryStore::new([1; 16]);
        store.set_clock(now);
        store.create_namespace(Name::namespace("ends").unwrap(), layout, None).unwrap();
        let config = SnowflakeConfig {
            spread: Some(0),
            max_ahead_ms: 3_000,
            ..SnowflakeConfig::new("ends", "host/1").unwrap()
        };
        let mut ids = Snowflake::new(config, 7).unwrap();
        assert_eq!(refill(&mut ids, &mut store, || now, || [2; 16]), Ok(true));
        // 16 are left, and a moment that has 40 will never come.
        assert_eq!(ids.ready(now, 40).unwrap_err().code, Code::WindowSpent);
        assert_eq!(ids.fill_available(now, &mut [0; 20]), Ok(16));
        assert_eq!(ids.ready(now, 40).unwrap_err().code, Code::WindowSpent);
        assert_eq!(ids.next(now).unwrap_err().code, Code::WindowSpent);
    }
    #[test]
    fn a_clock_that_leapt_over_the_window_is_put_right_by_the_next_answer() {
        let (start, hour) = (1_800_000_000_000, 3_600_000);
        let mut store: MemoryStore = MemoryStore::new([1; 16]);
        store.set_clock(Millis::new(start));
        let mut ids =
            Snowflake::new(SnowflakeConfig::new("default", "host/1").unwrap(), 7).unwrap();
        assert_eq!(refill(&mut ids, &mut store, || Millis::new(0), || [2; 16]), Ok(true));
        let first = ids.next(Millis::new(0)).unwrap();
        let leapt = Millis::new(hour);
        assert_eq!(ids.next(leapt).unwrap_err().code, Code::WindowSpent);
        store.set_clock(Millis::new(start + 10));
        assert_eq!(refill(&mut ids, &mut store, || leapt, || [3; 16]), Ok(true));
        let next = ids.next(leapt).unwrap();
        assert!(next > first);
        assert_eq!(Layout::LEAF.decompose(next).unwrap().time.get(), start + 10);
    }
}
