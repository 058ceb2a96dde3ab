//! The holding: what one process has of a generator, a lock-free line that callers draw from, and the
//! state behind a lock.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use leafid_core::{
    Ask, Carryover, Code, Grant, HostTime, Ids, Run, SegmentIds, SharedLine, Stats, Token,
};

use crate::driver::counting::Counting;
use crate::driver::seat::Seats;
use crate::driver::state::{Errand, State};
use crate::driver::{Config, Hub, Numbering, each, rest};
use crate::host::clock::Clock;
use crate::host::fork::{self, Generation};
use crate::host::fork_cell::Made;
use crate::host::random;
use crate::{Error, log};

/// A bound that no cursor reaches: the driver needs no call.
const NEVER: u64 = u64::MAX;
/// How often the driver of snowflakes checks whether the wall clock leapt.
const LOOK_UP: Duration = Duration::from_secs(1);
/// How often a driver checks a clock that a test moves.
const LOOK_UP_OF_TESTS: Duration = Duration::from_millis(2);
/// The pause before another try where the system gave no randomness.
pub(super) const NO_RANDOMNESS: Duration = Duration::from_millis(100);

/// An ID that was drawn without the lock.
pub struct Drawn {
    pub id: u64,
    pub calls_driver: bool,
}

/// A generator's state in one process: its line, its core, and its driver's work.
pub struct Holding {
    generation: Generation,
    line: Arc<SharedLine>,
    numbering: OnceLock<Numbering>,
    /// From this cursor on, a caller has to call the driver.
    call_from: AtomicU64,
    /// The count of IDs drawn without the lock, where that is counted.
    drawn: AtomicU64,
    /// The store that answered, and the highest end of a segment: facts for a forked child, which must not
    /// take the lock behind which the core has them.
    store: OnceLock<Token>,
    end: AtomicU64,
    /// Whether this process has opened the state file.
    pub(super) has_file: AtomicBool,
    /// Why the generator has stopped for good.
    pub(super) ended: OnceLock<Code>,
    pub(super) clock: Clock,
    state: Mutex<State>,
    called: AtomicBool,
    hub: OnceLock<Arc<Hub>>,
    pub(super) saver_called: Condvar,
    pub(super) answer_came: Condvar,
    pub seats: Seats,
    /// The number of callers on the slow path, who take the lock and may wait.
    pub(super) callers: AtomicUsize,
    pub(super) config: Arc<Config>,
    /// The number of the test whose store it draws from; 0 for the generator's own, `None` where no test replaces that.
    pub(super) test: Option<u64>,
    /// Whether a test that began or ended has closed it.
    is_set_aside: AtomicBool,
}

impl Made for Holding {
    fn made_in(&self) -> Generation {
        self.generation
    }
}

impl Holding {
    /// Builds this process's holding, in a test without the generator's state file; in a forked child, `before` is the
    /// inherited one.
    pub(super) fn build(
        config: &Arc<Config>,
        clock: &Clock,
        test: Option<u64>,
        before: Option<&Holding>,
    ) -> Result<Holding, Error> {
        let is_in_test = test.is_some_and(|test| test > 0);
        let config = &(if is_in_test { config.without_state() } else { Arc::clone(config) });
        let line = Arc::new(SharedLine::new());
        let core = config.build(random::seed()?, Arc::clone(&line));
        let core = core.map_err(|refusal| Error::about(refusal, config.subject()))?;
        let holding = Holding {
            generation: fork::current(),
            line,
            numbering: OnceLock::new(),
            call_from: AtomicU64::new(NEVER),
            drawn: AtomicU64::new(0),
            store: OnceLock::new(),
            end: AtomicU64::new(0),
            has_file: AtomicBool::new(false),
            ended: OnceLock::new(),
            clock: clock.clone(),
            state: Mutex::new(State::new(core, Arc::clone(config), clock.clone())),
            called: AtomicBool::new(false),
            hub: OnceLock::new(),
            saver_called: Condvar::new(),
            answer_came: Condvar::new(),
            seats: Seats::default(),
            callers: AtomicUsize::new(0),
            config: Arc::clone(config),
            test,
            is_set_aside: AtomicBool::new(false),
        };
        if let Some(before) = before {
            holding.inherit(before);
        }
        Ok(holding)
    }

    /// Takes over what a forked child may know: the line's position, the facts about the store, and
    /// whether the generator had stopped. Opens no lock of the inherited holding.
    fn inherit(&self, before: &Holding) {
        self.drawn.store(before.drawn.load(Ordering::Relaxed), Ordering::Relaxed);
        let end = before.end.load(Ordering::Acquire);
        let (store, have_until) = (before.store.get().copied(), Some(end).filter(|end| *end > 0));
        self.note(store, end);
        let mut state = self.lock();
        if before.has_file.load(Ordering::Acquire) {
            self.do_without_file(&mut state, before);
        }
        let carried = Carryover { store, position: before.line.stands_at(), have_until };
        let resumed = each!(Core, &mut state.core, core => core.resume(carried));
        // A child that cannot continue above its parent's IDs must hand out none.
        let ended = before.ended.get().copied().or(resumed.err().map(|refusal| refusal.code));
        if let Some(code) = ended {
            let _ = self.ended.set(code);
            state.retire(false);
        }
    }

    /// Notes facts about the store that answered.
    fn note(&self, store: Option<Token>, end: u64) {
        if let Some(store) = store {
            let _ = self.store.set(store);
        }
        self.end.fetch_max(end, Ordering::AcqRel);
    }

    /// Goes without a state file in a child of a process that has opened its own. That file stays the
    /// parent's, even if closed: its next run needs it. A folder has other files, but not for a
    /// generator that knows its store already and continues above an inherited position.
    fn do_without_file(&self, state: &mut State, before: &Holding) {
        let Some((path, _)) = self.config.state() else { return };
        let (is_folder, shown) = (leafid_state::is_folder(path), path.display());
        if is_folder && before.store.get().is_none() && before.line.stands_at() == 0 {
            return;
        }
        state.unopened = false;
        self.has_file.store(true, Ordering::Release);
        state.said.push(match is_folder {
            true => format!(
                "the generator was in use before the fork, so this child has no state file of its \
                 own in `{shown}`: draw the first ID after the fork"
            ),
            false => format!(
                "the state file `{shown}` is the parent's, so this child has none: pass a folder, \
                 `state=\"{shown}/\"`, in which each process has a file of its own"
            ),
        });
    }

    /// Takes the lock; for its rules see [`state`](crate::driver::state).
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    pub fn is_current(&self) -> bool {
        fork::is_current(self.generation)
    }

    /// Whether the generator has stopped for good.
    pub fn is_closed(&self) -> bool {
        self.ended.get().is_some()
    }

    /// Draws an ID without the lock; `None` gives no reason.
    #[inline]
    pub fn draw<C: Counting>(&self) -> Option<u64> {
        if !self.is_current() {
            return None;
        }
        let Drawn { id, calls_driver } = match self.numbering.get()? {
            Numbering::Segment(ids) => self.draw_by::<C>(*ids, HostTime::MIN)?,
            Numbering::Snowflake(ids) => self.draw_by::<C>(*ids, self.clock.now())?,
        };
        if calls_driver {
            self.call_driver();
        }
        Some(id)
    }

    /// As [`draw`](Self::draw), without a function call for a segment, so that the caller need not save
    /// registers on the stack. The caller says what it draws, has to call the driver itself, and on
    /// `None` tries `draw`, which checks more.
    #[inline]
    pub fn draw_calling_nothing<const STAMPS: bool, C: Counting>(&self) -> Option<Drawn> {
        if !fork::is_current_by_load(self.generation) {
            return None;
        }
        if !STAMPS {
            return self.draw_by::<C>(SegmentIds, HostTime::MIN);
        }
        match self.numbering.get()? {
            Numbering::Snowflake(ids) => self.draw_by::<C>(*ids, self.clock.now()),
            Numbering::Segment(_) => None,
        }
    }

    #[inline]
    fn draw_by<C: Counting>(&self, ids: impl Ids, now: HostTime) -> Option<Drawn> {
        let run = self.run_by(ids, now, 1)?;
        C::count(&self.drawn);
        Some(Drawn {
            id: ids.id(run.positions.start, run.worker),
            calls_driver: run.positions.end >= self.call_from.load(Ordering::Relaxed),
        })
    }

    #[inline]
    fn run_by(&self, mut ids: impl Ids, now: HostTime, n: u64) -> Option<Run> {
        let limits = ids.limits(&mut &*self.line, now).ok()?;
        #[cfg(feature = "unguarded")]
        let start = self.line.stands_at().max(limits.start);
        let run = self.line.take(ids.shape(), limits, n).ok();
        // A control for the tests: what was read before the swap, without the comparison. Two threads get the same.
        #[cfg(feature = "unguarded")]
        let run = run.map(|run| Run {
            positions: leafid_core::Range::new(
                start,
                start + run.positions.end - run.positions.start,
            ),
            ..run
        });
        run
    }

    /// Draws an ID with the lock, from the next range where the line is used up; `None` gives no reason.
    pub fn draw_anew(&self) -> Option<u64> {
        let mut state = self.lock();
        let now = self.clock.exact();
        let drawn = each!(Core, &mut state.core, core => core.next(now)).ok();
        self.publish(&state);
        if each!(Core, &state.core, core => core.wants(now)) {
            self.wake_driver();
        }
        drawn
    }

    /// Draws up to `n` successive IDs without the lock, and how their positions become IDs; `None` gives no
    /// reason.
    pub fn draw_run(&self, n: u64) -> Option<(Numbering, Run)> {
        if !self.is_current() {
            return None;
        }
        let numbering = *self.numbering.get()?;
        let run = match numbering {
            Numbering::Segment(ids) => self.run_by(ids, HostTime::MIN, n)?,
            Numbering::Snowflake(ids) => self.run_by(ids, self.clock.now(), n)?,
        };
        if run.positions.end >= self.call_from.load(Ordering::Relaxed) {
            self.call_driver();
        }
        Some((numbering, run))
    }

    /// Copies what the lock-free path needs out of a changed state.
    pub(super) fn publish(&self, state: &State) {
        if let Some(numbering) = state.core.numbering() {
            let _ = self.numbering.set(numbering);
        }
        if let Some(code) = each!(Core, &state.core, core => core.failure())
            && (code.stops() || state.closing)
        {
            let _ = self.ended.set(code);
        }
        let from = each!(Core, &state.core, core => core.poll_from());
        self.call_from.store(from, Ordering::Release);
    }

    /// Wakes the driver from the lock-free path, once per published bound.
    #[cold]
    pub fn call_driver(&self) {
        self.call_from.store(NEVER, Ordering::Release);
        // Under the lock, so that the driver has published its state before.
        let _state = self.lock();
        self.wake_driver();
    }

    /// The driver's next task, or how long to rest.
    pub(super) fn poll_errand(&self) -> Errand {
        let mut state = self.lock();
        let Ok(entropy) = random::entropy() else { return Errand::Rest(Some(NO_RANDOMNESS)) };
        let errand = state.errand(entropy);
        // A write to the state file is another thread's task.
        self.saver_called.notify_one();
        if let Some(errand) = errand {
            return errand;
        }
        self.publish(&state);
        let look_up = match (self.clock.is_given(), state.core.reads_clock()) {
            (true, _) => Some(LOOK_UP_OF_TESTS),
            (false, true) => Some(LOOK_UP),
            (false, false) => None,
        };
        Errand::Rest(state.look_in().into_iter().chain(look_up).min())
    }

    /// Whether there was a call since the last check.
    pub(super) fn take_call(&self) -> bool {
        self.called.swap(false, Ordering::AcqRel)
    }

    pub(super) fn listen(&self, hub: Arc<Hub>) {
        let _ = self.hub.set(hub);
    }

    /// Changes the state, and wakes all who may wait for that.
    pub(super) fn change<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let result = act(&mut state);
        self.publish(&state);
        self.wake_driver();
        let noted = std::mem::take(&mut state.noted);
        drop(state);
        self.answer_came.notify_all();
        self.seats.wake();
        noted.into_iter().for_each(|(is_warning, message)| log::note(is_warning, message));
        result
    }

    /// Takes the answer to an ask that left at `sent`.
    pub(super) fn answered(&self, ask: &Ask, sent: HostTime, answer: Result<Grant, Error>) {
        self.change(|state| match state.answered(ask, sent, answer) {
            Some(Grant::Segment(grant)) => self.note(Some(grant.store), grant.range.end),
            Some(Grant::Window(grant)) => self.note(Some(grant.store), 0),
            None => {}
        });
    }

    /// Learns that the driver has ended, or could not start.
    pub(super) fn ended(&self) {
        let _needed = self.change(|state| {
            state.driven = false;
            state.needed.take()
        });
    }

    /// Whether the driver has ended, and every caller has its ID or its error.
    pub fn is_over(&self) -> bool {
        !self.has_callers() && self.lock().is_done()
    }

    /// Whether a caller still waits.
    pub fn has_callers(&self) -> bool {
        self.callers.load(Ordering::Acquire) > 0
    }

    /// Whether every release was sent.
    pub fn has_given_back(&self) -> bool {
        self.lock().has_given_back()
    }

    /// Leaves a warning for the next caller that waits.
    pub(super) fn warn_later(&self, warning: Option<String>) {
        self.lock().said.extend(warning);
    }

    /// Takes the pending warnings.
    pub fn said(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().said)
    }

    /// Wakes the driver, and the thread of the state file, which a slow store does not hold up.
    pub(super) fn wake_driver(&self) {
        self.saver_called.notify_one();
        self.called.store(true, Ordering::Release);
        if let Some(hub) = self.hub.get() {
            hub.wake();
        }
    }

    /// Closes the line; the driver sends the releases, with `gives_up` also that of a window that a state
    /// file would keep.
    pub fn retire(&self, gives_up: bool) {
        self.change(|state| state.retire(gives_up));
    }

    /// Closes the line, and keeps what the driver needs for the last release until it has ended.
    pub(super) fn retire_with(&self, needed: Box<dyn Send>) {
        let _unneeded = self.change(|state| {
            state.retire(false);
            if state.driven { state.needed.replace(needed) } else { Some(needed) }
        });
    }

    /// Closes the line, while its generator goes on with another holding: a test has begun, or is over.
    pub(super) fn set_aside(&self) {
        self.is_set_aside.store(true, Ordering::Release);
        self.retire(false);
    }

    pub(super) fn is_set_aside(&self) -> bool {
        self.is_set_aside.load(Ordering::Acquire)
    }

    /// Drops every right at once, and sends nothing.
    pub fn forget(&self) {
        self.change(State::forget);
    }

    /// Gives back the rest of a window, drops that of a segment, and goes on with the next ID.
    pub fn give_back(&self) -> Result<(), Error> {
        let seed = random::seed()?;
        self.change(|state| state.give_back(seed, &self.line))
    }

    /// Whether a condition holds now, or within this time.
    pub fn within(&self, most: Duration, is_so: fn(&State) -> bool) -> bool {
        let mut state = self.lock();
        let deadline = Instant::now() + most;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if is_so(&state) || left.is_zero() {
                return is_so(&state);
            }
            // Every change of the state ends the rest, not only the one that is waited for.
            state = rest(&self.answer_came, state, Some(left));
        }
    }

    /// Whether the line was closed by its user, and not by the store.
    pub fn is_retired(&self) -> bool {
        self.lock().closing
    }

    pub fn stats(&self) -> Stats {
        let stats = self.lock().stats();
        let drawn = self.drawn.load(Ordering::Relaxed);
        Stats { ids: stats.ids.saturating_add(drawn), ..stats }
    }
}
