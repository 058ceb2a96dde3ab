//! Drawing: IDs at hand, one or many, and why there are none.

use super::{Generator, Kind};
use crate::line::{INSIDE, Ids, Line, Run};
use crate::values::{Code, HostTime, Range, Refusal};

impl<K: Kind, L: Line> Generator<K, L> {
    /// One ID.
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

    /// Fills `out` with IDs, ascending: all of it, or it is left as it was and nothing is spent.
    /// After a refusal the next asks are made for so many.
    ///
    /// # Errors
    /// As [`Generator::ready`].
    pub fn fill(&mut self, now: HostTime, out: &mut [u64]) -> Result<(), Refusal> {
        let n = out.len() as u64;
        loop {
            if n == 0 {
                return Ok(());
            }
            self.ready(now, n)?;
            // Another thread may draw from the line between the look and the taking.
            let Some(runs) = self.take_exactly(now, n) else { continue };
            let Some(draw) = self.kind.ids() else { continue };
            let mut rest = out;
            for run in runs.into_iter().flatten() {
                let here = rest.len().min(usize::try_from(run.positions.len()).unwrap_or(0));
                let (place, after) = rest.split_at_mut(here);
                draw.write(run, place);
                rest = after;
            }
            self.stats.ids = self.stats.ids.saturating_add(n);
            return Ok(());
        }
    }

    /// As many IDs as are at hand, ascending, up to the length of `out`; returns how many.
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

    /// Whether `n` IDs can be had in one go now, so that [`Generator::fill`] gives them all. If not,
    /// the next asks are made for so many, until so many or fewer were had.
    ///
    /// # Errors
    /// `COUNT_INVALID` if so many can never be had in one go; else as [`Generator::next`].
    pub fn ready(&mut self, now: HostTime, n: u64) -> Result<(), Refusal> {
        if n > self.kind.most() {
            // What can never be had is not to be asked for, by nobody's call but this one.
            self.wanted = if bug!(WantedStays) { self.wanted } else { 0 };
            return Err(Code::CountInvalid.into());
        }
        self.ended.map_or(Ok(()), |code| Err(Refusal::new(code)))?;
        let next = self.next_range.map_or(0, |range| range.positions.len());
        let verdict = match self.kind.ids() {
            Some(draw) => draw.ready(&mut self.line, now, n, next),
            None => Err(Refusal::new(self.kind.dry_code())),
        };
        self.wanted = if verdict.is_ok() { 0 } else { n };
        verdict.inspect_err(|refusal| self.waits(*refusal))
    }

    /// How many can be had in one go at most, as far as is known: `max_step`, or by `max_ahead`.
    pub fn most(&self) -> u64 {
        self.kind.most()
    }

    fn run(&mut self, now: HostTime, n: u64) -> Result<Run, Refusal> {
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
        self.waits(refusal);
        Err(refusal)
    }

    #[inline]
    fn draw_run(&mut self, now: HostTime, n: u64) -> Result<Run, Refusal> {
        match self.kind.ids() {
            Some(draw) => draw.run(&mut self.line, now, n),
            None => Err(Refusal::new(self.kind.dry_code())),
        }
    }

    fn waits(&mut self, refusal: Refusal) {
        if refusal.code == self.kind.dry_code() {
            self.pending.went_dry();
        }
        let stands = self.line.stands_at();
        if self.waited_at != Some(stands) {
            self.waited_at = Some(stands);
            self.stats.waits = self.stats.waits.saturating_add(1);
        }
    }

    /// `n` positions, or nothing is spent: from the line, or its rest and the beginning of the
    /// next range. `None` if another thread was quicker.
    fn take_exactly(&mut self, now: HostTime, n: u64) -> Option<[Option<Run>; 2]> {
        let draw = self.kind.ids()?;
        if let Ok(run) = draw.run_exactly(&mut self.line, now, n) {
            return Some([Some(run), None]);
        }
        let range = self.next_range?;
        // Closed, the rest of the line is this call's alone.
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
