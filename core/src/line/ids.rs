//! How positions become IDs: the hot path, the same on both faces of the line.

use crate::line::{Line, Run, Shape, Stop};
use crate::values::{HostTime, Offset, Range, Refusal};

/// All that drawing needs to know, a small value to copy: [`SegmentIds`](crate::SegmentIds) or
/// [`SnowflakeIds`](crate::SnowflakeIds). A lock-free host takes it once from
/// [`Generator::ids`](crate::Generator::ids), keeps a copy for each thread beside its
/// [`SharedLine`](crate::SharedLine) and draws without the generator: there is an example.
///
/// Two verbs are the hot path: [`Ids::run`] takes positions, [`Ids::id`] turns each into an ID.
pub trait Ids: Copy {
    /// How the bound's word is read.
    fn shape(self) -> Shape;

    /// Floor and ceiling at this reading of the host's clock, which are kept.
    ///
    /// # Errors
    /// `TIME_OVERFLOW` when the time does not fit the layout.
    fn limits<L: Line>(&mut self, line: &mut L, host: HostTime) -> Result<Range, Refusal>;

    /// [`Ids::run`] with the limits that were kept, if they are the same now and give anything.
    fn quick_run<L: Line>(self, line: &mut L, host: HostTime, n: u64) -> Option<Run>;

    /// The ID of a position.
    fn id(self, position: u64, worker: u32) -> u64;

    /// What a stop is called, and until when it lasts (host's clock).
    fn refusal(self, stop: Stop, limits: Range, offset: Offset) -> Refusal;

    /// Takes up to `n` positions, at least one, in one step.
    ///
    /// A snowflake's run may span several ticks, and never two workers. What is taken is spent,
    /// whether IDs are made of it or not.
    ///
    /// # Errors
    /// As [`Generator::next`](crate::Generator::next), but that a line which is closed for good is
    /// called dry: the generator knows better. A range that is held aside for the time after this
    /// one is also the generator's to open: on `SEGMENT_DRY` draw through it.
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

    /// Whether the line has `n` positions to give now, `next` others included. Nothing is taken:
    /// by the time of the draw another thread may have had them.
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
            // Called by where the line stands; over when the last of them can be had.
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

    /// Writes the IDs of a run, in order, as far as `out` reaches.
    #[inline]
    fn write(self, run: Run, out: &mut [u64]) {
        for (place, position) in out.iter_mut().zip(run.positions.start..run.positions.end) {
            *place = self.id(position, run.worker);
        }
    }
}

/// [`Ids::run`], its limits computed.
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

/// How many numbers are written at a time. Where this is compiled for speed they become additions of the
/// first to constants, none of which waits for another; four where it is compiled for size, as wasm is: one
/// by one takes longer than the copy that follows.
const AT_ONCE: usize = if cfg!(target_family = "wasm") { 4 } else { 32 };

/// Writes successive numbers, from the first on.
#[inline]
pub(crate) fn count_up(first: u64, out: &mut [u64]) {
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
