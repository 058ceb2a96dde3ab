//! Segment IDs: the numbers of a tag, in leased ranges.
//!
//! At most two ranges are held: the line spends one, the other waits behind it (double buffering),
//! asked for long before the first is used up. Numbers do not age, so a range never expires.

use super::kind::{Keeps, Kind, NewRange, Standing};
use super::{Generator, StepPolicy};
use crate::line::{Ids, Line, OwnLine, Run, Shape, Stop};
use crate::protocol::registry::{DEFAULT_STEP, STEP_CAP};
use crate::protocol::{Release, SegmentAsk, SegmentGrant};
use crate::values::{Code, HostTime, LINE_END, Name, Offset, Range, Refusal, StoreTime, Token};

/// The configuration of a segment generator.
///
/// ```
/// use leafid_core::{Code, HostTime, MemoryStore, Segment, SegmentConfig, refill};
/// // 100 numbers at first, and the next range when half of the last one is used.
/// let defaults = SegmentConfig::new("orders")?;
/// let config = SegmentConfig { step: Some(100), ask_below_percent: 50, ..defaults };
/// let mut orders = Segment::new(config, 7)?;
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// let now = HostTime::new(0);
/// refill(&mut orders, &mut store, || now, || [2; 16])?;
/// orders.fill(now, &mut [0; 50])?;
/// assert!(!orders.wants(now), "50 are left, and that is half");
/// assert_eq!(orders.next(now)?, 51);
/// assert!(orders.wants(now), "49 are left");
///
/// let wrong = SegmentConfig { step: Some(0), ..config };
/// assert_eq!(Segment::new(wrong, 7).unwrap_err().code, Code::StepInvalid);
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SegmentConfig {
    /// The tag.
    pub tag: Name,
    /// How many numbers to lease at first, 1 to 2^31 - 1, and again when little is used; `None` for
    /// the tag's own step. The store grants no more than the tag's `max_step`.
    pub step: Option<u32>,
    /// The most numbers to lease at once, 1 to 2^31 - 1, if the tag's own `max_step` is not lower; `None`
    /// for the tag's. It limits what this holder may lose when it ends, and what it can give in one
    /// go. With it and without `step`, the first lease takes [`DEFAULT_STEP`] or this, whichever is
    /// less, because the tag's own step is not known yet and may be more.
    pub max_step: Option<u32>,
    /// How the step follows consumption.
    pub policy: StepPolicy,
    /// The generator asks ahead when less than this share of the last range is left, in percent, 1 to
    /// 100. 90 by default, as in Leaf: of 1,000 numbers, after the 101st. A lower share loses fewer
    /// numbers at the end, and leaves a slow store less time.
    pub ask_below_percent: u8,
}

impl SegmentConfig {
    /// Takes the defaults for a tag.
    ///
    /// # Errors
    /// `TAG_INVALID`, as [`Name::tag`].
    pub fn new(tag: &str) -> Result<SegmentConfig, Refusal> {
        Ok(SegmentConfig {
            tag: Name::tag(tag)?,
            step: None,
            max_step: None,
            policy: StepPolicy::default(),
            ask_below_percent: 90,
        })
    }
}

impl SegmentConfig {
    /// Whether it is `max_step` that is out of range: for a host that tells which field was wrong.
    pub fn is_max_step_wrong(&self) -> bool {
        self.max_step.is_some_and(|most| most == 0 || most > STEP_CAP)
    }
}

/// Hands out the numbers of one tag, strictly ascending within this generator, across its ranges and
/// across a [`forget`](Generator::forget). Between two generators there is no order.
///
/// Choose it when people read the number, when it should be small, or where no clock can be
/// trusted: it uses the host's only to pace its asks. See [`Generator`] for the verbs.
///
/// ```
/// use leafid_core::{HostTime, MemoryStore, Segment, SegmentConfig, refill};
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
/// let now = HostTime::new(0);
/// assert!(orders.next(now).is_err(), "nothing is leased before it is asked for");
/// refill(&mut orders, &mut store, || now, || [2; 16])?;
/// assert_eq!(orders.next(now)?, 1);
/// assert_eq!(orders.next(now)?, 2);
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
pub type Segment<L = OwnLine> = Generator<Segments, L>;

impl Segment {
    /// Builds a generator for one owner. `seed` is 64 random bits for the jitter of pauses, so that
    /// processes which lost their store together do not come back together; no ID depends on it.
    ///
    /// # Errors
    /// `STEP_INVALID` for a step or `max_step` of 0 or above [`STEP_CAP`], or a step above
    /// `max_step`; `RANGE_INVALID` for a share outside 1 to 100.
    pub fn new(config: SegmentConfig, seed: u64) -> Result<Segment, Refusal> {
        Segment::with_line(config, seed, OwnLine::new())
    }
}

impl<L: Line> Segment<L> {
    /// Builds a generator on this line, which must be new and used by no other generator. Many threads
    /// may draw from a [`SharedLine`](crate::SharedLine).
    ///
    /// # Errors
    /// As [`Segment::new`].
    pub fn with_line(config: SegmentConfig, seed: u64, line: L) -> Result<Segment<L>, Refusal> {
        let most = config.max_step.unwrap_or(STEP_CAP);
        let fits = |step| (1..=most).contains(&step);
        if config.is_max_step_wrong() || !config.step.is_none_or(fits) {
            return Err(Code::StepInvalid.into());
        }
        if !(1..=100).contains(&config.ask_below_percent) {
            return Err(Code::RangeInvalid.into());
        }
        Ok(Generator::from_parts(Segments { config, last: None, ids: SegmentIds }, line, seed))
    }
}

/// How numbers become IDs: each number is one. No clock is involved, so there is no floor or ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentIds;

impl Ids for SegmentIds {
    #[inline]
    fn shape(self) -> Shape {
        Shape::NUMBERS
    }

    #[inline]
    fn limits<L: Line>(&mut self, _line: &mut L, _host: HostTime) -> Result<Range, Refusal> {
        Ok(Range::new(0, u64::MAX))
    }

    #[inline]
    fn quick_run<L: Line>(self, line: &mut L, _host: HostTime, n: u64) -> Option<Run> {
        line.take(Shape::NUMBERS, Range::new(0, u64::MAX), n).ok()
    }

    #[inline]
    fn id(self, position: u64, _worker: u32) -> u64 {
        position
    }

    #[inline]
    fn successive(self, positions: Range) -> u64 {
        positions.len()
    }

    fn refusal(self, _stop: Stop, _limits: Range, _offset: Offset) -> Refusal {
        Code::SegmentDry.into()
    }
}

/// The last range that was granted, from which the next step is computed.
#[derive(Clone, Copy, Debug)]
struct Last {
    size: u32,
    granted: HostTime,
    own_step: u32,
    max_step: u32,
    /// How many numbers the tag had left by the last answer.
    remaining: u64,
    /// When that answer came.
    heard: HostTime,
}

/// Where numbers come from: a tag of a store.
#[derive(Clone, Copy, Debug)]
pub struct Segments {
    config: SegmentConfig,
    last: Option<Last>,
    ids: SegmentIds,
}

impl Segments {
    /// The holder's own limit on numbers leased at once.
    fn cap(&self) -> u32 {
        self.config.max_step.unwrap_or(STEP_CAP)
    }
}

impl Keeps for Segments {}

impl Kind for Segments {
    type Ids = SegmentIds;
    type Ask = SegmentAsk;
    type Grant = SegmentGrant;
    const DOUBLE_BUFFERED: bool = true;

    #[inline]
    fn ids(&self) -> Option<SegmentIds> {
        Some(self.ids)
    }

    #[inline]
    fn ids_mut(&mut self) -> Option<&mut SegmentIds> {
        Some(&mut self.ids)
    }

    fn dry_code(&self) -> Code {
        Code::SegmentDry
    }

    /// Due when less is left than the share of the last range, or than a caller wants.
    #[inline]
    fn ask_from(&self, standing: &Standing) -> u64 {
        let Some(last) = self.last else { return 0 };
        let share = u64::from(last.size).saturating_mul(self.config.ask_below_percent.into());
        let share = share.div_ceil(100);
        let enough = share.max(standing.wanted).max(1);
        standing.end.saturating_add(1).saturating_sub(enough)
    }

    fn ask(&mut self, standing: &Standing, request: Token, now: HostTime) -> SegmentAsk {
        let adapted = self.last.map(|last| {
            let own = self.config.step.unwrap_or(last.own_step);
            let most = last.max_step.min(self.cap());
            self.config.policy.next(own, most, last.size, last.granted, now)
        });
        let first = self.config.step.or(self.config.max_step.map(|most| most.min(DEFAULT_STEP)));
        let at_least = u32::try_from(standing.wanted).ok().filter(|wanted| *wanted > 1);
        // To learn whether that many can be had by now, lease one number, not a whole range each time.
        let looks = self.last.is_some_and(|last| standing.wanted > last.max_step.into());
        let adapted = if looks { Some(1) } else { adapted };
        SegmentAsk {
            tag: self.config.tag,
            request,
            store: standing.store,
            step: adapted.or(first),
            at_least,
            exactly: None,
            have_until: standing.have_until,
        }
    }

    fn vet(
        &self,
        ask: &SegmentAsk,
        grant: &SegmentGrant,
        standing: &Standing,
        _store_now: StoreTime,
    ) -> Result<NewRange, Code> {
        let positions = grant.range;
        let seen = standing.have_until.unwrap_or(0);
        let fits = !positions.is_empty() && positions.end <= LINE_END && positions.start >= seen;
        if grant.tag != ask.tag || !fits || grant.step == 0 || grant.max_step == 0 {
            return Err(Code::GrantInvalid);
        }
        Ok(NewRange { positions, bound: positions.end, extends: false })
    }

    fn accept(
        &mut self,
        ask: &SegmentAsk,
        grant: &SegmentGrant,
        range: NewRange,
        now: HostTime,
        _store_now: StoreTime,
    ) -> (i64, Option<NewRange>) {
        let size = u32::try_from(grant.range.len()).unwrap_or(u32::MAX);
        // A lease of one number, made only to ask about limits, is no measure of consumption.
        let before = self
            .last
            .filter(|last| size == 1 && ask.at_least.is_some_and(|wanted| wanted > last.max_step));
        self.last = Some(Last {
            size: before.map_or(size, |last| last.size),
            granted: before.map_or(now, |last| last.granted),
            own_step: grant.step,
            max_step: grant.max_step,
            remaining: grant.remaining,
            heard: now,
        });
        (0, Some(range))
    }

    fn refused(&mut self, _code: Code) -> bool {
        false
    }

    fn most(&self) -> u64 {
        self.last.map_or(self.cap(), |last| last.max_step.min(self.cap())).into()
    }

    fn most_ever(&self) -> u64 {
        self.cap().into()
    }

    fn left(&self) -> Option<(u64, HostTime)> {
        self.last.map(|last| (last.remaining, last.heard))
    }

    fn release_unopened(&self, _ask: &SegmentAsk, _grant: &SegmentGrant) -> Option<Release> {
        None
    }

    fn release(&mut self, _cursor: u64) -> Option<Release> {
        None
    }

    fn forget(&mut self) {}

    fn step(&self) -> u64 {
        self.last.map_or(0, |last| last.size.into())
    }
}
