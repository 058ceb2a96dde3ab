//! What both generators share: the line, the range held aside, when to ask, what to refuse.

use crate::ask::{Ask, Grant, Release};
use crate::asking::Asking;
use crate::carryover::Carryover;
use crate::code::{Code, Refusal};
use crate::draw::Draw;
use crate::line::{Line, OwnLine, Run};
use crate::range::Range;
use crate::source::{Facts, Offer, Source};
use crate::stats::Stats;
use crate::time::{Millis, Offset};
use crate::token::Token;

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was applied.
    Applied,
    /// It answers no question that is open: late, repeated or foreign. Nothing was changed.
    Ignored,
    /// It came after the generator was closed; send this release.
    Release(Release),
}

/// A generator: [`Segment`](crate::Segment) or [`Snowflake`](crate::Snowflake).
///
/// Order of calls: `next` or `fill` for IDs; when [`wants_ask`](Reserve::wants_ask), or on a
/// refusal, [`poll_ask`](Reserve::poll_ask); carry the ask to the store and hand its answer to
/// [`handle_grant`](Reserve::handle_grant) or [`handle_failure`](Reserve::handle_failure).
///
/// Not `Clone`: two copies would hand out the same positions. What a fork does is
/// [`Reserve::image`].
#[derive(Debug)]
pub struct Reserve<S: Source, L: Line = OwnLine> {
    source: S,
    line: L,
    aside: Option<Offer>,
    have_until: Option<u64>,
    wanted: u64,
    asking: Asking,
    offset: Offset,
    store: Option<Token>,
    /// Why nothing will ever be handed out again.
    ended: Option<Code>,
    /// Where the line stood at the last wait, so that a wait counts once.
    waited_at: Option<u64>,
    stats: Stats,
}

impl<S: Source, L: Line> Reserve<S, L> {
    pub(crate) fn from_parts(source: S, line: L, seed: u64) -> Reserve<S, L> {
        Reserve {
            source,
            line,
            aside: None,
            have_until: None,
            wanted: 0,
            asking: Asking::new(seed),
            offset: Offset::default(),
            store: None,
            ended: None,
            waited_at: None,
            stats: Stats::default(),
        }
    }

    /// One ID.
    ///
    /// # Errors
    /// `SEGMENT_DRY`, `WINDOW_SPENT`: ask and wait. `SEQUENCE_SPENT`, `CLOCK_BEHIND`: come again at
    /// `until`. `TIME_OVERFLOW`, `CLOSED`, `STORE_CHANGED`, `STORE_WENT_BACK`: no more.
    #[inline]
    pub fn next(&mut self, now: Millis) -> Result<u64, Refusal> {
        let run = self.run(now, 1)?;
        let draw = self.source.draw().ok_or(Refusal::new(self.source.dry()))?;
        self.stats.ids = self.stats.ids.saturating_add(1);
        Ok(draw.id(run.positions.start, run.worker))
    }

    /// Fills `out` with IDs, ascending: all of it, or it is left as it was and nothing is spent.
    /// After a refusal the next asks are made for so many.
    ///
    /// # Errors
    /// As [`Reserve::ready`].
    pub fn fill(&mut self, now: Millis, out: &mut [u64]) -> Result<(), Refusal> {
        let n = out.len() as u64;
        loop {
            if n == 0 {
                return Ok(());
            }
            self.ready(now, n)?;
            // Another thread may draw from the line between the look and the taking.
            let Some(runs) = self.take_exactly(now, n) else { continue };
            let Some(draw) = self.source.draw() else { continue };
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
    /// As [`Reserve::next`], if not even one is at hand.
    pub fn fill_available(&mut self, now: Millis, out: &mut [u64]) -> Result<usize, Refusal> {
        let mut filled = 0;
        while let Some(rest) = out.get_mut(filled..)
            && !rest.is_empty()
        {
            let run = match self.run(now, rest.len() as u64) {
                Ok(run) => run,
                Err(refusal) if filled == 0 => return Err(refusal),
                Err(_) => break,
            };
            if let Some(draw) = self.source.draw() {
                draw.write(run, rest);
            }
            filled = filled.saturating_add(run.positions.len() as usize);
        }
        self.stats.ids = self.stats.ids.saturating_add(filled as u64);
        Ok(filled)
    }

    /// Whether `n` IDs can be had in one go now, so that [`Reserve::fill`] gives them all. If not,
    /// the next asks are made for so many, until so many or fewer were had.
    ///
    /// # Errors
    /// `COUNT_INVALID` if so many can never be had in one go; else as [`Reserve::next`].
    pub fn ready(&mut self, now: Millis, n: u64) -> Result<(), Refusal> {
        if n > self.source.most() {
            // What can never be had is not to be asked for, by nobody's call but this one.
            self.wanted = if bug!(WantedStays) { self.wanted } else { 0 };
            return Err(Code::CountInvalid.into());
        }
        self.ended.map_or(Ok(()), |code| Err(Refusal::new(code)))?;
        let aside = self.aside.map_or(0, |offer| offer.positions.len());
        let verdict = match self.source.draw() {
            Some(draw) => draw.ready(&mut self.line, now, n, aside),
            None => Err(Refusal::new(self.source.dry())),
        };
        self.wanted = if verdict.is_ok() { 0 } else { n };
        verdict.inspect_err(|refusal| self.waits(*refusal))
    }

    /// How many can be had in one go at most, as far as is known: `max_step`, or by `max_ahead`.
    pub fn most(&self) -> u64 {
        self.source.most()
    }

    fn run(&mut self, now: Millis, n: u64) -> Result<Run, Refusal> {
        let refusal = match self.draw_run(now, n) {
            Ok(run) => return Ok(run),
            Err(refusal) => refusal,
        };
        if let Some(code) = self.ended {
            return Err(code.into());
        }
        if refusal.code == self.source.dry()
            && let Some(offer) = self.aside.take()
        {
            self.open(offer);
            return self.draw_run(now, n);
        }
        self.waits(refusal);
        Err(refusal)
    }

    #[inline]
    fn draw_run(&mut self, now: Millis, n: u64) -> Result<Run, Refusal> {
        match self.source.draw() {
            Some(draw) => draw.run(&mut self.line, now, n),
            None => Err(Refusal::new(self.source.dry())),
        }
    }

    fn waits(&mut self, refusal: Refusal) {
        if refusal.code == self.source.dry() {
            self.asking.went_dry();
        }
        let stands = self.line.stands_at();
        if self.waited_at != Some(stands) {
            self.waited_at = Some(stands);
            self.stats.waits = self.stats.waits.saturating_add(1);
        }
    }

    /// Whether [`Reserve::poll_ask`] would give something: one comparison or two, for the hot path.
    #[inline]
    pub fn wants_ask(&self, now: Millis) -> bool {
        self.ended.is_none()
            && self.asking.is_due(now)
            && (self.asking.out().is_some() || self.line.cursor() >= self.mark())
    }

    /// The cursor from which on more should be asked for: what a lock-free host compares with the
    /// end of each run that it drew. 0 is always (windows go by [`Reserve::poll_at`]), `u64::MAX`
    /// never.
    pub fn mark(&self) -> u64 {
        if self.ended.is_some() { u64::MAX } else { self.source.mark(&self.facts()) }
    }

    /// When to call [`Reserve::poll_ask`] next (host's clock), if nothing else happens first;
    /// `None` while only drawing can make it due.
    pub fn poll_at(&self) -> Option<Millis> {
        let waits_for_draws = self.asking.out().is_none() && self.line.cursor() < self.mark();
        if self.ended.is_some() || waits_for_draws { None } else { Some(self.asking.due_at()) }
    }

    /// What to ask the store for now, if anything: once per need. `entropy` are 16 fresh random
    /// bytes. An ask that got no answer within 3 s is given out again as it was.
    pub fn poll_ask(&mut self, now: Millis, entropy: [u8; 16]) -> Option<Ask> {
        if !self.wants_ask(now) {
            return None;
        }
        let facts = self.facts();
        let ask = match self.asking.out() {
            Some(ask) => ask,
            None => self.source.ask(&facts, Token::new(entropy), now),
        };
        self.asking.send(ask, now);
        self.stats.asks = self.stats.asks.saturating_add(1);
        Some(ask)
    }

    /// Applies an answer. `sent` is the host's clock when this call left, `now` when it came back.
    /// Late, repeated and foreign answers are harmless.
    ///
    /// # Errors
    /// `GRANT_INVALID` or `LAYOUT_MISMATCH` for an answer of no use: counted and backed off as a
    /// failure. `STORE_CHANGED` if another store answered: the generator is stopped.
    pub fn handle_grant(
        &mut self,
        grant: &Grant,
        sent: Millis,
        now: Millis,
    ) -> Result<Outcome, Refusal> {
        let Some(ask) = self.asking.answered(grant.request()) else {
            return Ok(Outcome::Ignored);
        };
        if self.ended.is_some() {
            let release = self.source.unopened(&ask, grant).filter(|_| !bug!(LateGrantKept));
            return Ok(release.map_or(Outcome::Ignored, Outcome::Release));
        }
        let (store, store_time) = grant.origin();
        if self.store.is_some_and(|known| known != store) && !bug!(NoStoreCheck) {
            return Err(self.fail(Code::StoreChanged, None, now));
        }
        let offset = self.offset.after(sent, now, store_time);
        let heard = now.plus(offset.get());
        // Before the first answer the host's clock says nothing about the store's time.
        let reached = if self.offset.is_known() { self.line.now(now).max(heard) } else { heard };
        // Time never goes back, but where the host's clock leapt over all that the store gives:
        // to wait until the store's time has caught up would be to give nothing for as long.
        let leapt = grant.over_at().is_some_and(|over_at| over_at <= reached) && !bug!(NeverLeaps);
        let store_now = if leapt { heard } else { reached };
        let offer = match self.source.look_over(&ask, grant, &self.facts(), store_now) {
            Ok(offer) => offer,
            Err(code) => return Err(self.fail(code, None, now)),
        };
        self.store = Some(store);
        self.offset = offset;
        self.line.put_offset(offset.get(), store_now);
        let pause_ms = self.source.accept(&ask, grant, now, store_now);
        if self.apply(offer) {
            self.asking.succeeded(now, pause_ms);
        } else {
            let dry = self.is_dry(now);
            self.asking.brought_nothing(now, dry);
        }
        self.stats.grants = self.stats.grants.saturating_add(1);
        Ok(Outcome::Applied)
    }

    /// Whether there is anything in it that could be handed out.
    fn apply(&mut self, offer: Offer) -> bool {
        self.have_until = self.have_until.max(Some(offer.positions.end));
        if offer.extends {
            self.line.extend(offer.bound);
            return true;
        }
        let adjoins = |before: u64| S::HOLDS_ASIDE && before == offer.positions.start;
        if let Some(aside) = &mut self.aside {
            if adjoins(aside.positions.end) {
                aside.positions.end = offer.positions.end;
                aside.bound = offer.bound;
            } else {
                // Only a caller that wants more than is in hand brought this one here: the larger
                // of the two serves it.
                let larger = offer.positions.len() > aside.positions.len();
                let dropped = if larger { core::mem::replace(aside, offer) } else { offer };
                self.drop_positions(dropped.positions.len());
                return larger;
            }
        } else if self.line.is_closed() {
            self.open(offer);
        } else if adjoins(self.line_end()) {
            self.line.extend(offer.bound);
        } else if S::HOLDS_ASIDE {
            self.aside = Some(offer);
        } else {
            self.open(offer);
        }
        self.in_hand() > 0
    }

    /// The store failed: back off and ask again. IDs at hand go on being handed out, but for
    /// `STORE_CHANGED` and `STORE_WENT_BACK`, which stop the generator at once. A failure of an
    /// ask that is not out changes nothing.
    ///
    /// `STORE_UNAVAILABLE` and `TIMED_OUT` mean that no answer was read: the same ask, under the
    /// same request id, is sent again after the back-off.
    pub fn handle_failure(
        &mut self,
        request: Token,
        code: Code,
        retry_after_ms: Option<u32>,
        now: Millis,
    ) {
        let unread = matches!(code, Code::StoreUnavailable | Code::TimedOut);
        let is_out = self.asking.out().is_some_and(|ask| ask.request() == request);
        if !is_out || self.ended.is_some() {
            return;
        }
        if !unread {
            self.asking.answered(request);
        }
        self.fail(code, retry_after_ms, now);
    }

    fn fail(&mut self, code: Code, retry_after_ms: Option<u32>, now: Millis) -> Refusal {
        self.stats.failures = self.stats.failures.saturating_add(1);
        if self.source.refused(code) {
            self.asking.lost(code, now);
        } else {
            let dry = self.is_dry(now);
            self.asking.failed(code, retry_after_ms, now, dry);
        }
        if code.stops() {
            self.drop_range();
            self.ended = Some(code);
        }
        code.into()
    }

    fn is_dry(&mut self, now: Millis) -> bool {
        let dry = Refusal::new(self.source.dry());
        match self.source.draw() {
            Some(draw) => self.aside.is_none() && draw.ready(&mut self.line, now, 1, 0) == Err(dry),
            None => true,
        }
    }

    /// Graceful stop: the line is closed first; what of a window was not begun is to be given
    /// back with the release, if there is one. The rest of a segment is a gap.
    pub fn retire(&mut self) -> Option<Release> {
        if self.ended.is_some() {
            return None;
        }
        if bug!(ReleaseBeforeClose) {
            // Who holds the line goes on drawing until it is closed, if ever.
            return self.source.give_up(self.line.stands_at());
        }
        self.drop_range();
        self.ended = Some(Code::Closed);
        self.source.give_up(self.line.stands_at())
    }

    /// Drops every right and the ask that is out, at once and without a word to the store: after
    /// a fork, a restored memory image, a rebuilt instance. The next ID waits for a new range;
    /// what is kept are facts (the store, where the line stood, the highest end seen).
    pub fn forget(&mut self) {
        if !bug!(ForgetKeepsRange) {
            self.drop_range();
        }
        if bug!(ForgetDropsPosition) {
            self.line.close_at(0);
        }
        self.asking.forget();
        self.source.forget();
        self.wanted = 0;
    }

    /// A copy of all of it, as a fork or a snapshot of the machine makes one: to test that
    /// [`Reserve::forget`] is called. Whoever draws from both without it hands out duplicates.
    pub fn image(&self) -> Reserve<S, L>
    where
        S: Copy,
        L: Copy,
    {
        Reserve { ..*self }
    }

    /// The host was suspended, as the gap between its wall and its monotonic clock shows: a
    /// renewal that was not due yet is due.
    pub fn resumed(&mut self) {
        self.asking.hurry();
    }

    /// What another memory image of this generator may know: facts, and no right to anything.
    pub fn carryover(&self) -> Carryover {
        let position = self.line.stands_at();
        Carryover { store: self.store, position, have_until: self.have_until }
    }

    /// Takes over what another memory image of this generator knew: IDs go on above its last one,
    /// another store is noticed, and so is one that no longer knows what it granted. For a
    /// generator that was granted nothing yet; later it changes nothing.
    pub fn resume(&mut self, before: Carryover) {
        if self.store.is_some() || !self.line.is_closed() || bug!(ResumeIgnored) {
            return;
        }
        self.store = before.store;
        self.have_until = self.have_until.max(before.have_until);
        self.line.close_at(self.line.stands_at().max(before.position));
    }

    /// Why asking fails, until an ask succeeds: what a host tells a caller that waited in vain,
    /// and raises at once where [`Code::is_permanent`].
    pub fn failure(&self) -> Option<Code> {
        self.ended.or(self.asking.last())
    }

    /// How to draw from the line without this generator: the lock-free hot path. `None` until the
    /// first window says which layout it has.
    pub fn draw(&self) -> Option<S::Draw> {
        self.source.draw()
    }

    /// What the generator did so far.
    pub fn stats(&self) -> Stats {
        Stats {
            in_hand: self.in_hand(),
            step: self.source.step(),
            offset_ms: self.line.offset(),
            last_code: self.failure(),
            ..self.stats
        }
    }

    pub(crate) fn source(&self) -> &S {
        &self.source
    }

    fn facts(&self) -> Facts {
        let aside = self.aside.map_or(0, |offer| offer.positions.len());
        let end = self.line_end().saturating_add(aside);
        let wanted = self.wanted.min(self.source.most());
        Facts { store: self.store, end, have_until: self.have_until, wanted }
    }

    fn line_end(&self) -> u64 {
        match self.source.draw() {
            Some(draw) if !self.line.is_closed() => draw.shape().end(self.line.bound()),
            _ => 0,
        }
    }

    fn in_hand(&self) -> u64 {
        let aside = self.aside.map_or(0, |offer| offer.positions.len());
        self.line_end().saturating_sub(self.line.cursor()).saturating_add(aside)
    }

    fn open(&mut self, offer: Offer) {
        let Some(draw) = self.source.draw() else { return };
        let rest = self.line_end().saturating_sub(self.line.cursor());
        self.drop_positions(rest);
        let is_first = self.line.is_closed() && self.line.stands_at() == 0;
        if !is_first {
            self.stats.gaps = self.stats.gaps.saturating_add(1);
        }
        self.line.close();
        self.line.open(draw.shape(), offer.positions.start, offer.bound);
    }

    fn drop_range(&mut self) {
        let in_hand = self.in_hand();
        self.drop_positions(in_hand);
        self.aside = None;
        self.line.close();
    }

    /// `n` positions, or nothing is spent: from the line, or its rest and the beginning of the
    /// range held aside. `None` if another thread was quicker.
    fn take_exactly(&mut self, now: Millis, n: u64) -> Option<[Option<Run>; 2]> {
        let draw = self.source.draw()?;
        if let Ok(run) = draw.run_exactly(&mut self.line, now, n) {
            return Some([Some(run), None]);
        }
        let offer = self.aside?;
        // Closed, the rest of the line is this call's alone.
        let (shape, bound) = (draw.shape(), self.line.bound());
        self.line.close();
        let rest = Range::new(self.line.stands_at(), shape.end(bound));
        let missing = n.saturating_sub(rest.len());
        if rest.len() >= n || missing > offer.positions.len() {
            self.line.open(shape, rest.start, bound);
            return None;
        }
        let from = offer.positions.start.saturating_add(missing);
        self.aside = None;
        self.stats.gaps = self.stats.gaps.saturating_add(1);
        self.line.open(shape, from, offer.bound);
        let of_line = Run { positions: rest, worker: shape.worker(bound) };
        let begun = Range::new(offer.positions.start, from);
        let of_aside = Run { positions: begun, worker: shape.worker(offer.bound) };
        Some([Some(of_line), Some(of_aside)])
    }

    fn drop_positions(&mut self, n: u64) {
        self.stats.dropped = self.stats.dropped.saturating_add(n);
    }
}
