//! Layouts: how time, worker and sequence share the bits of an ID.
//!
//! From the highest bit: one that is always 0 (columns are signed), time, worker, sequence. Time is
//! on top, so that IDs sort by it; bits above it that a layout does not use are 0.

use crate::values::{Code, Refusal, StoreTime};

/// The largest epoch, in ms since 1970: the largest that a JavaScript number holds exactly.
const MAX_EPOCH_MS: i64 = (1 << 53) - 1;
const MAX_TICK_MS: u32 = 86_400_000;

/// Epoch, tick length and the widths of time, worker and sequence: at most 63 bits together.
///
/// | preset | widths | tick | lasts until | numbers | IDs per second and number |
/// |---|---|---|---|---|---|
/// | [`Layout::LEAF`] | 41/10/12 | 1 ms | 2080 | 1,024 | 4,096,000 |
/// | [`Layout::EDGE`] | 41/16/6 | 1 ms | 2094 | 65,536 | 64,000 |
/// | [`Layout::LONG`] | 39/16/8 | 10 ms | 2199 | 65,536 | 25,600 |
/// | [`Layout::JS53`] | 39/8/6 | 10 ms | 2199 | 256 | 6,400 |
///
/// Choose by how many processes run at once (worker bits), how many IDs each makes in its busiest
/// second (sequence bits), and how long it has to last (time bits). A namespace never changes its
/// layout: IDs of two layouts in one column may be equal.
///
/// ```
/// use leafid_core::{Layout, StoreTime};
/// let id = Layout::LEAF.compose(StoreTime::new(1_700_000_000_000), 5, 17)?;
/// let parts = Layout::LEAF.decompose(id)?;
/// assert_eq!((parts.time.get(), parts.worker, parts.sequence), (1_700_000_000_000, 5, 17));
///
/// // A custom one: from 2026 on, in ticks of 4 ms, 256 workers, 54 bits in all.
/// let mine = Layout::new(1_767_225_600_000, 4, 38, 8, 8)?;
/// assert_eq!((mine.workers(), mine.per_second()), (256, 64_000));
/// let last = mine.last();
/// assert_eq!(last, StoreTime::new(2_866_737_227_775), "2060-11-03 19:53:47.775 UTC");
/// assert!(mine.last_id(last)? < 1 << 54);
/// assert!(mine.tick(last.plus(1)).is_err(), "TIME_OVERFLOW from here on");
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    epoch_ms: i64,
    tick_ms: u32,
    time_bits: u8,
    worker_bits: u8,
    sequence_bits: u8,
}

/// The parts of an ID: [`Layout::decompose`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parts {
    /// The beginning of its tick, in ms since 1970.
    pub time: StoreTime,
    /// Ticks since the epoch.
    pub tick: u64,
    /// The worker number.
    pub worker: u32,
    /// The number within the tick.
    pub sequence: u64,
}

const fn preset(epoch_ms: i64, tick_ms: u32, widths: (u8, u8, u8)) -> Layout {
    let (time_bits, worker_bits, sequence_bits) = widths;
    Layout { epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits }
}

impl Layout {
    /// The layout of Twitter and Leaf: 41/10/12 bits, 1 ms, since 2010-11-04. The default: choose another
    /// for more than 1,024 processes at once, or for IDs that fit a JavaScript number.
    pub const LEAF: Layout = preset(1_288_834_974_657, 1, (41, 10, 12));
    /// For thousands of isolates: 41/16/6 bits, 1 ms, since 2025.
    pub const EDGE: Layout = preset(1_735_689_600_000, 1, (41, 16, 6));
    /// For 174 years: 39/16/8 bits, 10 ms, since 2025 (Sonyflake's widths).
    pub const LONG: Layout = preset(1_735_689_600_000, 10, (39, 16, 8));
    /// For JavaScript numbers (below 2^53): 39/8/6 bits, 10 ms, since 2025. The price is the rate: 64 IDs
    /// per 10 ms, for each of 256 processes.
    pub const JS53: Layout = preset(1_735_689_600_000, 10, (39, 8, 6));

    /// Makes a custom layout: the epoch in ms since 1970, the tick in ms (1 to a day), the widths.
    ///
    /// # Errors
    /// `LAYOUT_INVALID` if the widths are more than 63 bits together, time has none, worker more
    /// than 32, the tick is 0 or longer than a day, or the epoch lies before 1970 or at 2^53 or
    /// beyond.
    pub const fn new(
        epoch_ms: i64,
        tick_ms: u32,
        time_bits: u8,
        worker_bits: u8,
        sequence_bits: u8,
    ) -> Result<Layout, Refusal> {
        let together = (time_bits as u16)
            .saturating_add(worker_bits as u16)
            .saturating_add(sequence_bits as u16);
        let fits = time_bits >= 1
            && worker_bits <= 32
            && together <= 63
            && tick_ms >= 1
            && tick_ms <= MAX_TICK_MS
            && epoch_ms >= 0
            && epoch_ms <= MAX_EPOCH_MS;
        if fits {
            Ok(preset(epoch_ms, tick_ms, (time_bits, worker_bits, sequence_bits)))
        } else {
            Err(Refusal::new(Code::LayoutInvalid))
        }
    }

    /// The preset of that name: `leaf`, `edge`, `long` or `js53`, in lower case.
    pub fn named(name: &str) -> Option<Layout> {
        match name {
            "leaf" => Some(Layout::LEAF),
            "edge" => Some(Layout::EDGE),
            "long" => Some(Layout::LONG),
            "js53" => Some(Layout::JS53),
            _ => None,
        }
    }

    /// Where time begins, in ms since 1970.
    pub const fn epoch_ms(&self) -> i64 {
        self.epoch_ms
    }

    /// How long a tick is, in ms.
    pub const fn tick_ms(&self) -> u32 {
        self.tick_ms
    }

    /// The width of the time, in bits.
    pub const fn time_bits(&self) -> u8 {
        self.time_bits
    }

    /// The width of the worker number, in bits.
    pub const fn worker_bits(&self) -> u8 {
        self.worker_bits
    }

    /// The width of the sequence, in bits.
    pub const fn sequence_bits(&self) -> u8 {
        self.sequence_bits
    }

    /// One more than the last tick.
    #[inline]
    pub const fn end_tick(&self) -> u64 {
        1u64.wrapping_shl(self.time_bits as u32)
    }

    /// The highest end of a window: [`Layout::end_tick`], or one tick less where its position would be
    /// larger than [`LINE_END`](crate::LINE_END), in a layout of 63 bits without worker numbers.
    pub const fn last_end(&self) -> u64 {
        let last = crate::LINE_END.wrapping_shr(self.sequence_bits as u32);
        if self.end_tick() < last { self.end_tick() } else { last }
    }

    /// How many worker numbers there are.
    pub const fn workers(&self) -> u64 {
        1u64.wrapping_shl(self.worker_bits as u32)
    }

    /// How many IDs one worker has in one tick.
    pub const fn per_tick(&self) -> u64 {
        1u64.wrapping_shl(self.sequence_bits as u32)
    }

    /// How many IDs one worker has in a second; at most `u64::MAX`. Bursts may be faster: they use up to
    /// `max_ahead_ms` in advance.
    pub const fn per_second(&self) -> u64 {
        // Whole IDs per ms first: 128-bit arithmetic would add a kilobyte to every wasm file.
        let (per_tick, tick_ms) = (self.per_tick(), self.tick_ms as u64);
        match (per_tick.checked_div(tick_ms), per_tick.checked_rem(tick_ms)) {
            (Some(whole), Some(rest)) => match rest.saturating_mul(1_000).checked_div(tick_ms) {
                Some(rest) => whole.saturating_mul(1_000).saturating_add(rest),
                None => u64::MAX,
            },
            _ => u64::MAX,
        }
    }

    /// The last time that fits: the end of the last tick, in ms since 1970.
    pub const fn last(&self) -> StoreTime {
        let last_tick = self.end_tick().wrapping_sub(1);
        self.time(last_tick).plus((self.tick_ms as i64).saturating_sub(1))
    }

    /// The tick of a time (store's clock, ms since 1970), rounded down. [`Layout::time`] converts back,
    /// to the beginning of the tick.
    ///
    /// # Errors
    /// `TIME_OVERFLOW` if it lies before the epoch or beyond the last tick.
    #[inline]
    pub const fn tick(&self, now: StoreTime) -> Result<u64, Refusal> {
        let ms = now.since(StoreTime::new(self.epoch_ms));
        let tick = self.in_ticks(ms.unsigned_abs());
        if ms < 0 || tick >= self.end_tick() {
            return Err(Refusal::new(Code::TimeOverflow));
        }
        Ok(tick)
    }

    /// When a tick begins, in ms since 1970.
    pub const fn time(&self, tick: u64) -> StoreTime {
        let ms = tick.saturating_mul(self.tick_ms as u64);
        let ms = if ms > i64::MAX as u64 { i64::MAX } else { ms as i64 };
        StoreTime::new(self.epoch_ms).plus(ms)
    }

    /// How many ticks `ms` takes, rounded up: 25 ms are 3 ticks of 10 ms.
    pub const fn ticks(&self, ms: u64) -> u64 {
        let whole = self.in_ticks(ms);
        if whole.saturating_mul(self.tick_ms as u64) < ms { whole.saturating_add(1) } else { whole }
    }

    #[inline]
    pub(crate) const fn in_ticks(&self, ms: u64) -> u64 {
        // Most layouts have ticks of 1 ms, and a division would cost as much as all the rest.
        if self.tick_ms == 1 {
            return ms;
        }
        match ms.checked_div(self.tick_ms as u64) {
            Some(ticks) => ticks,
            None => 0,
        }
    }

    /// Makes an ID of a time, a worker and a sequence number: for tests, conversions and bounds. Do not
    /// hand it out: only the lease of a [`Snowflake`](crate::Snowflake) makes IDs unique.
    ///
    /// # Errors
    /// `TIME_OVERFLOW` for a time that does not fit, `WORKER_INVALID` and `RANGE_INVALID` for a
    /// worker or a sequence beyond its bits.
    pub const fn compose(
        &self,
        time: StoreTime,
        worker: u32,
        sequence: u64,
    ) -> Result<u64, Refusal> {
        let tick = match self.tick(time) {
            Ok(tick) => tick,
            Err(refusal) => return Err(refusal),
        };
        if worker as u64 >= self.workers() {
            return Err(Refusal::new(Code::WorkerInvalid));
        }
        if sequence >= self.per_tick() {
            return Err(Refusal::new(Code::RangeInvalid));
        }
        Ok(self.stamp(tick.wrapping_shl(self.sequence_bits as u32) | sequence, worker))
    }

    /// Splits an ID into its parts. An ID of another layout gives wrong parts, not an error, unless it is
    /// too large: an ID does not contain its layout.
    ///
    /// # Errors
    /// `ID_INVALID` if it has bits above the layout's.
    pub const fn decompose(&self, id: u64) -> Result<Parts, Refusal> {
        let shift = (self.worker_bits as u32).saturating_add(self.sequence_bits as u32);
        let tick = id.wrapping_shr(shift);
        if tick >= self.end_tick() {
            return Err(Refusal::new(Code::IdInvalid));
        }
        let worker = id.wrapping_shr(self.sequence_bits as u32) & self.workers().wrapping_sub(1);
        let sequence = id & self.per_tick().wrapping_sub(1);
        Ok(Parts { time: self.time(tick), tick, worker: worker as u32, sequence })
    }

    /// The smallest ID of a time, over all workers: the lower bound of a range query. With it the
    /// primary key is an index by time, and a table needs no `created_at`:
    ///
    /// ```
    /// use leafid_core::{Layout, StoreTime};
    /// // 2026-11-21, UTC: its first and its last millisecond.
    /// let (from, to) = (StoreTime::new(1_795_219_200_000), StoreTime::new(1_795_305_599_999));
    /// let (first, last) = (Layout::LEAF.first_id(from)?, Layout::LEAF.last_id(to)?);
    /// let query = format!("SELECT * FROM events WHERE id BETWEEN {first} AND {last}");
    ///
    /// let noon = Layout::LEAF.compose(from.plus(43_200_000), 7, 61)?;
    /// assert!((first..=last).contains(&noon));
    /// assert_eq!(last + 1, Layout::LEAF.first_id(to.plus(1))?, "the next day begins here");
    /// # let _ = query;
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    ///
    /// An ID's time may lie up to `max_ahead_ms` after it was made, so a query for "all before now" may
    /// miss the last IDs of a burst.
    ///
    /// # Errors
    /// `TIME_OVERFLOW` for a time that does not fit.
    pub const fn first_id(&self, time: StoreTime) -> Result<u64, Refusal> {
        self.compose(time, 0, 0)
    }

    /// The largest ID of a time, over all workers: the inclusive upper bound of a range query, as in
    /// [`Layout::first_id`].
    ///
    /// # Errors
    /// `TIME_OVERFLOW` for a time that does not fit.
    pub const fn last_id(&self, time: StoreTime) -> Result<u64, Refusal> {
        let worker = self.workers().wrapping_sub(1) as u32;
        self.compose(time, worker, self.per_tick().wrapping_sub(1))
    }

    /// The ID of a position on a worker's line: puts the worker number between tick and sequence.
    #[inline]
    pub(crate) const fn stamp(&self, position: u64, worker: u32) -> u64 {
        let tick = position.wrapping_shr(self.sequence_bits as u32);
        let above = tick.wrapping_shl(self.worker_bits as u32) | worker as u64;
        position.wrapping_add(above.wrapping_sub(tick).wrapping_shl(self.sequence_bits as u32))
    }
}
