//! How positions on a worker's time become IDs.
//!
//! The clock only gives a floor and a ceiling: an ID is stamped not with the time but with the first
//! unused position at or above it. So a clock that stands still or goes back may delay IDs but never
//! repeats one.

use super::SnowflakeConfig;
use crate::generator::spread::Spread;
use crate::line::{Ids, Line, Run, Shape, Stop};
use crate::values::{Code, HostTime, Layout, Offset, Range, Refusal, StoreTime};

/// How positions on a worker's time become IDs: layout, spread and how far a burst may run ahead.
/// Available from the first window on ([`Generator::ids`](crate::Generator::ids)). Later windows have
/// the same layout, so a copy stays valid for the life of its generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnowflakeIds {
    pub(super) layout: Layout,
    pub(super) spread: Spread,
    pub(super) max_ahead_ms: u32,
    seed: u64,
    /// The store's time when the limits were last computed.
    now: StoreTime,
    /// The limits then; they are the same for all IDs of a millisecond.
    limits: Range,
}

impl SnowflakeIds {
    pub(super) fn new(config: &SnowflakeConfig, layout: Layout, seed: u64) -> SnowflakeIds {
        let per_tick = layout.per_tick();
        let spread = match config.spread {
            None => Spread::default_for(per_tick),
            Some(below) => Spread::below(below, per_tick),
        };
        let max_ahead_ms = config.max_ahead_ms;
        // This floor lies above the cursor of any open line, so these limits are never used.
        let (now, limits) = (StoreTime::MIN, Range::new(u64::MAX, u64::MAX));
        SnowflakeIds { layout, spread, max_ahead_ms, seed, now, limits }
    }

    /// The layout, for reading IDs ([`Layout::decompose`]).
    pub fn layout(&self) -> Layout {
        self.layout
    }
}

impl Ids for SnowflakeIds {
    #[inline]
    fn shape(self) -> Shape {
        Shape::ticks(self.layout.worker_bits(), self.layout.sequence_bits())
    }

    /// Computes floor and ceiling. The floor is the first position of the current tick, plus the spread
    /// if the tick is fresh; not if the cursor is close below, as a burst would then skip numbers.
    /// The ceiling is the first position more than `max_ahead` after now.
    fn limits<L: Line>(&mut self, line: &mut L, host: HostTime) -> Result<Range, Refusal> {
        // Without a window the store's time is unknown: the host's clock may show anything.
        if line.is_closed() {
            return Err(Code::WindowSpent.into());
        }
        let now = line.now(host);
        let tick = self.layout.tick(now)?;
        let first = self.shape().position(tick);
        let fresh = line.cursor() < first.saturating_sub(self.layout.per_tick() / 2);
        let start = if fresh { self.spread.start(self.seed, tick) } else { 0 };
        let ahead =
            now.plus(i64::from(self.max_ahead_ms).saturating_add(self.layout.tick_ms().into()));
        // Beyond the layout's end, the window's end is the limit.
        let ceiling = match self.layout.tick(ahead) {
            Ok(ahead) => self.shape().position(ahead),
            Err(_) => u64::MAX,
        };
        (self.now, self.limits) = (now, Range::new(first | start, ceiling));
        Ok(self.limits)
    }

    /// Uses the limits kept, if the time is the same and the cursor is past the floor, where the spread
    /// no longer matters.
    #[inline]
    fn quick_run<L: Line>(self, line: &mut L, host: HostTime, n: u64) -> Option<Run> {
        let known = line.now(host) == self.now && line.cursor() >= self.limits.start;
        if known { line.take(self.shape(), self.limits, n).ok() } else { None }
    }

    #[inline]
    fn id(self, position: u64, worker: u32) -> u64 {
        self.layout.stamp(position, worker)
    }

    /// Those of the first tick: its positions differ in the lowest bits of the ID.
    #[inline]
    fn successive(self, positions: Range) -> u64 {
        let last_of_tick = positions.start | self.layout.per_tick().wrapping_sub(1);
        positions.len().min(last_of_tick.saturating_add(1).saturating_sub(positions.start))
    }

    /// Names the refusal. A cursor at the ceiling means that a burst has used up `max_ahead`, and the
    /// next tick helps. One further above was put there by a state file, or the clock went back since.
    /// All of these end when the position is no more than `max_ahead` away.
    fn refusal(self, stop: Stop, limits: Range, offset: Offset) -> Refusal {
        let Stop::Ceiling(position) = stop else {
            return Code::WindowSpent.into();
        };
        let shape = self.shape();
        let tick = shape.tick(position);
        let behind = tick > shape.tick(limits.end).saturating_add(1);
        let code = if behind { Code::ClockBehind } else { Code::SequenceSpent };
        let reached = self.layout.time(tick).plus(i64::from(self.max_ahead_ms).saturating_neg());
        Refusal::until(code, offset.to_host(reached))
    }
}
