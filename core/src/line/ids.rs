//! How positions become IDs: the hot path, the same for both implementations of the line.

use crate::line::{Line, Run, Shape, Stop};
use crate::values::{HostTime, Offset, Range, Refusal};

/// Turns positions into IDs, a small value to copy: [`SegmentIds`](crate::SegmentIds) or
/// [`SnowflakeIds`](crate::SnowflakeIds). A lock-free host takes it once from
/// [`Generator::ids`](crate::Generator::ids), keeps a copy for each thread and draws without the
/// generator: [`SharedLine`](crate::SharedLine) has an example.
///
/// Two methods are the hot path: [`Ids::run`] takes positions, [`Ids::id`] turns each into an ID.
pub trait Ids: Copy {
    /// How to read the bound's word.
    fn shape(self) -> Shape;

    /// Computes floor and ceiling at this reading of the host's clock, and keeps them.
    ///
    /// # Errors
    /// `TIME_OVERFLOW` when the time does not fit the layout.
    fn limits<L: Line>(&mut self, line: &mut L, host: HostTime) -> Result<Range, Refusal>;

    /// [`Ids::run`] with the limits kept; `None` if they are outdated or give nothing.
    fn quick_run<L: Line>(self, line: &mut L, host: HostTime, n: u64) -> Option<Run>;

    /// The ID of a position.
    fn id(self, position: u64, worker: u32) -> u64;

    /// The refusal for a stop, with the time until which it lasts (host's clock).
    fn refusal(self, stop: Stop, limits: Range, offset: Offset) -> Refusal;

    /// Takes up to `n` positions, at least one, in one step.
    ///
    /// A snowflake's run may span several ticks, and never two workers. Positions taken are spent,
    /// whether IDs are made of them or not.
    ///
    /// # Errors
    /// As [`Generator::next`](crate::Generator::next), except that a line which is closed for good is
    /// reported as dry. Only the generator knows the difference, and only it can open the next range:
    /// on `SEGMENT_DRY` draw through it.
    #[inline]
    fn run<L: Line>(&mut self, line: &mut L, host: HostTime, n: u64) -> Result<Run, Refusal> {
        match self.quick_run(line, host, n) {
            Some(run) => Ok(run),
            None => run_anew(self, line, host, n),
        }
    }

    /// Takes `n` positions, or none.
    ///
    /// # Errors
    /// As [`Ids::run`].
    fn run_exactly<L: Line>(
        &mut self,
        line: &mut L,
        host: HostTime,
        n: u64,
    ) -> Result<Run, Refusal> {
        let limits = self.limits(line, host)?;
        let taken = line.take_between(self.shape(), limits, n, n);
        taken.map_err(|stop| self.refusal(stop, limits, line.offset()))
    }

    /// Whether the line has `n` positions to give now, `next` others included. Takes nothing: another
    /// thread may be first to draw them.
    ///
    /// # Errors
    /// As [`Ids::run`]; `until` is when all of them can be had.
    fn ready<L: Line>(
        &mut self,
        line: &mut L,
        host: HostTime,
        n: u64,
        next: u64,
    ) -> Result<(), Refusal> {
        let limits = self.limits(line, host)?;
        let (closed, bound) = (line.is_closed(), line.bound());
        let start = line.stands_at().max(limits.start);
        let end = if closed { 0 } else { self.shape().end(bound) };
        let last = start.saturating_add(n.saturating_sub(next).saturating_sub(1));
        let stop = if n <= next {
            return Ok(());
        } else if closed {
            Stop::Closed
        } else if last >= limits.end {
            // The code depends on where the line stands, the time on when the last position can be had.
            let Refusal { code, .. } = self.refusal(Stop::Ceiling(start), limits, line.offset());
            let Refusal { until, .. } = self.refusal(Stop::Ceiling(last), limits, line.offset());
            return Err(Refusal { code, until });
        } else if last >= end {
            Stop::Dry
        } else {
            return Ok(());
        };
        Err(self.refusal(stop, limits, line.offset()))
    }

    /// How many of these positions, from the first on, have successive IDs: at least one, if there is any.
    /// A host may turn the first into an ID and add from there.
    fn successive(self, positions: Range) -> u64;

    /// Writes the IDs of a run, in order, as far as `out` reaches. A processor makes several additions at
    /// once.
    #[inline]
    fn write(self, run: Run, out: &mut [u64]) {
        let (mut positions, mut rest) = (run.positions, out);
        while !positions.is_empty() && !rest.is_empty() {
            let count = self.successive(positions);
            let here = usize::try_from(count).map_or(rest.len(), |count| count.min(rest.len()));
            let (place, after) = rest.split_at_mut(here);
            count_up(self.id(positions.start, run.worker), place);
            positions.start = positions.start.saturating_add(count);
            rest = after;
        }
    }
}

/// [`Ids::run`] with fresh limits.
#[cold]
fn run_anew<L: Line>(
    ids: &mut impl Ids,
    line: &mut L,
    host: HostTime,
    n: u64,
) -> Result<Run, Refusal> {
    let (limits, shape) = (ids.limits(line, host)?, ids.shape());
    line.take(shape, limits, n).map_err(|stop| ids.refusal(stop, limits, line.offset()))
}

/// How many numbers are written per step. Compiled for speed, a step is independent additions of
/// constants to the first number. Four in wasm, which is compiled for size: one by one would take
/// longer than the copy that follows.
const AT_ONCE: usize = if cfg!(target_family = "wasm") { 4 } else { 32 };

/// Writes successive numbers, beginning with `first`.
#[inline]
fn count_up(first: u64, out: &mut [u64]) {
    let mut id = first;
    let (groups, rest) = out.as_chunks_mut::<AT_ONCE>();
    for group in groups {
        let (fours, _) = group.as_chunks_mut();
        for [a, b, c, d] in fours {
            *a = id;
            *b = id.wrapping_add(1);
            *c = id.wrapping_add(2);
            *d = id.wrapping_add(3);
            id = id.wrapping_add(4);
        }
    }
    for place in rest {
        *place = id;
        id = id.wrapping_add(1);
    }
}
