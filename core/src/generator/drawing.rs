//! Drawing IDs, one or many, and why there are none.
//!
//! The line is tried first, without a look at anything else. Only when it is dry, the next range is
//! opened. Only a refusal costs more: it notes that a caller waits, so that the next ask is sooner
//! and for as many as are wanted.

use super::{Generator, Kind};
use crate::line::{INSIDE, Ids, Line, Run};
use crate::values::{Code, HostTime, Range, Refusal};

/// How long a tag's limits are trusted after the store sent them: an operator may raise them. In ms.
const BELIEVED_MS: i64 = 10_000;

fn lately(at: HostTime, now: HostTime) -> bool {
    (0..BELIEVED_MS).contains(&now.since(at))
}

impl<K: Kind, L: Line> Generator<K, L> {
    /// Draws one ID, above all before it. Never waits: [`Generator::stance`] tells what to do about a
    /// refusal.
    ///
    /// ```
    /// use leafid_core::{
    ///     Code, HostTime, MemoryStore, Snowflake, SnowflakeConfig, StoreTime, refill,
    /// };
    /// let mut store: MemoryStore = MemoryStore::new([1; 16]);
    /// store.set_clock(StoreTime::new(1_800_000_000_000));
    /// let mut ids = Snowflake::new(SnowflakeConfig::new("default", "host/1")?, 7)?;
    /// let ms = HostTime::new;
    /// assert_eq!(ids.next(ms(0)).unwrap_err().code, Code::WindowSpent, "nothing is leased yet");
    /// refill(&mut ids, &mut store, || ms(0), || [2; 16])?;
    /// let first = ids.next(ms(5))?;
    /// let second = ids.next(ms(0))?; // this clock went back
    /// assert!(first < second);
    /// // Ten seconds were leased: a host that slept through them gets no ID, not a wrong one.
    /// assert_eq!(ids.next(ms(10_000)).unwrap_err().code, Code::WindowSpent);
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    ///
    /// # Errors
    /// `SEGMENT_DRY`, `WINDOW_SPENT`: ask and wait. `SEQUENCE_SPENT`, `CLOCK_BEHIND`: come again at
    /// `until`. `TIME_OVERFLOW`, `CLOSED`, `STORE_CHANGED`, `STORE_WENT_BACK`: no more.
    #[inline]
    pub fn next(&mut self, now: HostTime) -> Result<u64, Refusal> {
        let run = self.run(now, 1)?;
        let draw = self.kind.ids().ok_or(Refusal::new(self.kind.dry_code()))?;
        self.stats.ids = self.stats.ids.saturating_add(1);
        Ok(draw.id(run.positions.start, run.worker))
    }

    /// Fills `out` with ascending IDs, or leaves it as it was and spends nothing. After a refusal the
    /// next asks are for as many.
    ///
    /// One decision serves the whole batch, so that it costs little more than one [`Generator::next`].
    ///
    /// ```
    /// use leafid_core::{Code, HostTime, MemoryStore, Segment, SegmentConfig, refill};
    /// let mut store: MemoryStore = MemoryStore::new([1; 16]);
    /// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
    /// let now = HostTime::new(0);
    /// refill(&mut orders, &mut store, || now, || [2; 16])?; // 1 to 1,000
    /// let mut batch = vec![0; 2_500];
    /// assert_eq!(orders.fill(now, &mut batch).unwrap_err().code, Code::SegmentDry);
    /// assert_eq!((batch[0], orders.stats().in_hand), (0, 1_000), "nothing was touched or spent");
    /// // The next ask is for as many as the caller waits for.
    /// refill(&mut orders, &mut store, || now, || [3; 16])?;
    /// orders.fill(now, &mut batch)?;
    /// assert_eq!((batch[0], batch[2_499]), (1, 2_500));
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    ///
    /// # Errors
    /// As [`Generator::ready`].
    pub fn fill(&mut self, now: HostTime, out: &mut [u64]) -> Result<(), Refusal> {
        let runs = self.take_runs(now, out.len() as u64)?;
        let mut rest = out;
        for run in runs.into_iter().flatten() {
            let Some(draw) = self.kind.ids() else { break };
            let here = rest.len().min(usize::try_from(run.positions.len()).unwrap_or(0));
            let (place, after) = rest.split_at_mut(here);
            draw.write(run, place);
            rest = after;
        }
        Ok(())
    }

    /// Takes exactly `n` positions, in one run, or in two where a range ends and the next begins; a
    /// refusal spends nothing. For a host that turns positions into IDs itself: [`Ids::id`] of
    /// [`Generator::ids`].
    ///
    /// ```
    /// use leafid_core::{HostTime, Ids, MemoryStore, Segment, SegmentConfig, refill};
    /// let mut store: MemoryStore = MemoryStore::new([1; 16]);
    /// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
    /// let now = HostTime::new(0);
    /// refill(&mut orders, &mut store, || now, || [2; 16])?; // 1 to 1,000
    /// let [Some(run), None] = orders.take_runs(now, 600)? else { panic!() };
    /// let ids = orders.ids().unwrap();
    /// assert_eq!((ids.id(run.positions.start, run.worker), run.positions.len()), (1, 600));
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    ///
    /// # Errors
    /// As [`Generator::fill`].
    pub fn take_runs(&mut self, now: HostTime, n: u64) -> Result<[Option<Run>; 2], Refusal> {
        if n == 0 {
            return Ok([None, None]);
        }
        loop {
            self.ready(now, n)?;
            // Another thread may draw from the line between the check and the taking.
            if let Some(runs) = self.take_exactly(now, n) {
                self.stats.ids = self.stats.ids.saturating_add(n);
                return Ok(runs);
            }
        }
    }

    /// Draws as many ascending IDs as are at hand, up to the length of `out`; returns how many. The rest
    /// of `out` is left as it was.
    ///
    /// ```
    /// use leafid_core::{HostTime, MemoryStore, Segment, SegmentConfig, refill};
    /// let mut store: MemoryStore = MemoryStore::new([1; 16]);
    /// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
    /// let now = HostTime::new(0);
    /// refill(&mut orders, &mut store, || now, || [2; 16])?; // 1 to 1,000
    /// let mut pool = [0; 4_096];
    /// let count = orders.fill_available(now, &mut pool)?;
    /// assert_eq!((count, pool[count - 1]), (1_000, 1_000));
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    ///
    /// # Errors
    /// As [`Generator::next`], if not even one is at hand.
    pub fn fill_available(&mut self, now: HostTime, out: &mut [u64]) -> Result<usize, Refusal> {
        let mut filled = 0;
        while let Some(rest) = out.get_mut(filled..)
            && !rest.is_empty()
        {
            let run = match self.run(now, rest.len() as u64) {
                Ok(run) => run,
                Err(refusal) if filled == 0 => return Err(refusal),
                Err(_) => break,
            };
            if let Some(draw) = self.kind.ids() {
                draw.write(run, rest);
            }
            filled = filled.saturating_add(run.positions.len() as usize);
        }
        self.stats.ids = self.stats.ids.saturating_add(filled as u64);
        Ok(filled)
    }

    /// Whether `n` IDs can be had in one go now, so that [`Generator::fill`] succeeds. If not, the next
    /// asks are for as many, until as many or fewer were drawn.
    ///
    /// ```
    /// use leafid_core::{Code, HostTime, MemoryStore, Segment, SegmentConfig, refill};
    /// let mut store: MemoryStore = MemoryStore::new([1; 16]);
    /// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
    /// let now = HostTime::new(0);
    /// refill(&mut orders, &mut store, || now, || [2; 16])?;
    /// assert_eq!(orders.ready(now, 1_000), Ok(()));
    /// assert_eq!(orders.ready(now, 5_000).unwrap_err().code, Code::SegmentDry, "wait");
    /// assert_eq!(orders.most(), 1_000_000, "the tag's `max_step`");
    /// let never = orders.ready(now, 1_000_001).unwrap_err();
    /// assert_eq!(never.code, Code::CountInvalid, "waiting would not end");
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    ///
    /// # Errors
    /// `COUNT_INVALID` if that many cannot be had in one go, by the holder's own `max_step` or what the
    /// store answered in the last 10 s; an older answer is asked for again. `TAG_SPENT` if the tag ends
    /// before that; else as [`Generator::next`].
    pub fn ready(&mut self, now: HostTime, n: u64) -> Result<(), Refusal> {
        if n > self.most_lately(now) {
            // Only this call wanted as many, and they can never be had: do not ask for them.
            self.wanted = 0;
            return Err(Code::CountInvalid.into());
        }
        self.ended.map_or(Ok(()), |code| Err(Refusal::new(code)))?;
        if self.ends_before(now, n) {
            self.wanted = 0;
            return Err(Code::TagSpent.into());
        }
        let next = self.next_range.map_or(0, |range| range.positions.len());
        let verdict = match self.kind.ids() {
            Some(mut draw) => draw.ready(&mut self.line, now, n, next),
            None => Err(Refusal::new(self.kind.dry_code())),
        };
        self.wanted = if verdict.is_ok() { 0 } else { n };
        verdict.inspect_err(|refusal| self.waits(*refusal, now))
    }

    /// The most IDs that can be had in one go, if that is known well enough to refuse more: an operator
    /// may raise the tag's `max_step`, which a caller that is refused by an old one would never see.
    fn most_lately(&self, now: HostTime) -> u64 {
        match self.kind.left() {
            Some((_, at)) if !lately(at, now) => self.kind.most_ever(),
            _ => self.kind.most(),
        }
    }

    /// Whether fewer than `n` IDs are at hand and left in the store together, by the store's last answer,
    /// however old. A caller that draws `n` little by little checks this first: what it has drawn is lost
    /// if the rest never comes.
    pub fn may_end_before(&self, n: u64) -> bool {
        let left = self.kind.left().map_or(u64::MAX, |(left, _)| left);
        n > left && n > self.in_hand().saturating_add(left)
    }

    /// The same by a recent answer only: an operator may raise the tag's upper end.
    pub(super) fn ends_before(&self, now: HostTime, n: u64) -> bool {
        self.kind.left().is_some_and(|(_, at)| lately(at, now)) && self.may_end_before(n)
    }

    /// The most IDs that can be had in one go, as far as is known: of a segment the `max_step`, of a
    /// snowflake what lies within `max_ahead_ms` or half a window, whichever is less. Before the first
    /// grant it may be too high.
    pub fn most(&self) -> u64 {
        self.kind.most()
    }

    /// Takes up to `n` positions, from the next range where the line is dry.
    #[inline]
    fn run(&mut self, now: HostTime, n: u64) -> Result<Run, Refusal> {
        match self.kind.ids().and_then(|draw| draw.quick_run(&mut self.line, now, n)) {
            Some(run) => Ok(run),
            None => self.run_anew(now, n),
        }
    }

    #[cold]
    fn run_anew(&mut self, now: HostTime, n: u64) -> Result<Run, Refusal> {
        let refusal = match self.draw_run(now, n) {
            Ok(run) => return Ok(run),
            Err(refusal) => refusal,
        };
        if let Some(code) = self.ended {
            return Err(code.into());
        }
        if refusal.code == self.kind.dry_code()
            && let Some(range) = self.next_range.take()
        {
            self.open(range);
            return self.draw_run(now, n);
        }
        self.waits(refusal, now);
        Err(refusal)
    }

    fn draw_run(&mut self, now: HostTime, n: u64) -> Result<Run, Refusal> {
        match self.kind.ids_mut() {
            Some(draw) => draw.run(&mut self.line, now, n),
            None => Err(Refusal::new(self.kind.dry_code())),
        }
    }

    /// Notes a refused caller, for whom the pause before the next ask is kept short. Repeated attempts
    /// at the same position count as one wait.
    fn waits(&mut self, refusal: Refusal, now: HostTime) {
        self.kept_back = false;
        if refusal.code == self.kind.dry_code() {
            self.kept_back = self.kind.is_kept_back(&mut self.line, now);
            match self.kept_back {
                true => self.kind.hurry(),
                false => self.pending.went_dry(),
            }
        }
        self.is_resting &= !self.is_ask_due_to_callers(now);
        let stands = self.line.stands_at();
        if self.waited_at != Some(stands) {
            self.waited_at = Some(stands);
            self.stats.waits = self.stats.waits.saturating_add(1);
        }
    }

    /// Takes `n` positions from the line, or its rest and the beginning of the next range. `None`, with
    /// nothing spent, if another thread was quicker.
    fn take_exactly(&mut self, now: HostTime, n: u64) -> Option<[Option<Run>; 2]> {
        let mut draw = self.kind.ids()?;
        if let Ok(run) = draw.run_exactly(&mut self.line, now, n) {
            return Some([Some(run), None]);
        }
        let range = self.next_range?;
        // Once the line is closed, its rest belongs to this call alone.
        let (shape, bound) = (draw.shape(), self.line.bound());
        self.line.close(INSIDE);
        let rest = Range::new(self.line.stands_at(), shape.end(bound));
        let missing = n.saturating_sub(rest.len());
        if rest.len() >= n || missing > range.positions.len() {
            self.line.open(INSIDE, shape, rest.start, bound);
            return None;
        }
        let from = range.positions.start.saturating_add(missing);
        self.next_range = None;
        self.stats.gaps = self.stats.gaps.saturating_add(1);
        self.line.open(INSIDE, shape, from, range.bound);
        let of_line = Run { positions: rest, worker: shape.worker(bound) };
        let begun = Range::new(range.positions.start, from);
        let of_next = Run { positions: begun, worker: shape.worker(range.bound) };
        Some([Some(of_line), Some(of_next)])
    }
}
