//! The holding: what one process has of a generator, a lock-free line that callers draw from, and the
//! state behind a lock.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use leafid_core::{Code, HostTime, Ids, SharedLine, Stats};

use crate::client::Failed;
use crate::client::driver::bell::Bells;
use crate::client::driver::kept::Kept;
use crate::client::driver::kind::StateAt;
use crate::client::driver::state::State;
use crate::client::driver::{Hub, Kind, rest};
use crate::client::host::clock::Clock;
use crate::client::host::fork::{self, Generation};

/// A bound that no cursor reaches: the driver needs no call.
const NEVER: u64 = u64::MAX;

/// An ID that was drawn without the lock.
pub struct Drawn {
    pub id: u64,
    pub calls_driver: bool,
}

/// What one process has of a generator.
pub struct Holding<K: Kind> {
    generation: Generation,
    line: Arc<SharedLine>,
    ids: OnceLock<<K::Core as leafid_core::Kind>::Ids>,
    /// From this cursor on, a caller has to call the driver.
    call_from: AtomicU64,
    /// The count of IDs drawn without the lock; written one at a time.
    drawn: AtomicU64,
    pub(super) kept: Kept,
    /// Whether this process has opened the state file.
    pub(super) has_file: AtomicBool,
    /// Why the generator has stopped for good.
    pub(super) ended: OnceLock<Code>,
    pub(super) clock: Clock,
    state: Mutex<State<K>>,
    pub(super) called: AtomicBool,
    pub(super) hub: OnceLock<Arc<Hub>>,
    pub(super) saver_called: Condvar,
    pub(super) answer_came: Condvar,
    pub bells: Bells,
    /// The number of callers on the slow path, who take the lock and may wait.
    pub(super) callers: AtomicUsize,
    pub(super) kind: Arc<K>,
}

impl<K: Kind> Holding<K> {
    /// Builds this process's holding; in a forked child, `before` is the inherited one. One at a time.
    pub fn build(
        kind: &Arc<K>,
        clock: &Clock,
        seed: u64,
        before: Option<&Holding<K>>,
    ) -> Result<Holding<K>, Failed> {
        let line = Arc::new(SharedLine::new());
        let built = kind.build(seed, Arc::clone(&line));
        let generator = built.map_err(|refusal| Failed::about(refusal, kind.subject()))?;
        let holding = Holding {
            generation: fork::current(),
            line,
            ids: OnceLock::new(),
            call_from: AtomicU64::new(NEVER),
            drawn: AtomicU64::new(0),
            kept: Kept::default(),
            has_file: AtomicBool::new(false),
            ended: OnceLock::new(),
            clock: clock.clone(),
            state: Mutex::new(State::new(generator, Arc::clone(kind), clock.clone())),
            called: AtomicBool::new(false),
            hub: OnceLock::new(),
            saver_called: Condvar::new(),
            answer_came: Condvar::new(),
            bells: Bells::default(),
            callers: AtomicUsize::new(0),
            kind: Arc::clone(kind),
        };
        if let Some(before) = before {
            holding.inherit(before);
        }
        Ok(holding)
    }

    /// Takes over what a forked child may know: the line's position, the facts about the store, and
    /// whether the generator had stopped. Opens no lock of the inherited holding.
    fn inherit(&self, before: &Holding<K>) {
        self.drawn.store(before.drawn.load(Ordering::Relaxed), Ordering::Relaxed);
        self.kept.inherit(&before.kept);
        let mut state = self.lock();
        if before.has_file.load(Ordering::Acquire) {
            self.do_without_file(&mut state, before);
        }
        let resumed = state.generator.resume(before.kept.carryover(before.line.stands_at()));
        // A child that cannot continue above its parent's IDs must hand out none.
        let ended = before.ended.get().copied().or(resumed.err().map(|refusal| refusal.code));
        if let Some(code) = ended {
            let _ = self.ended.set(code);
            state.retire(false);
        }
    }

    /// Goes without a state file in a child of a process that has opened its own. That file stays the
    /// parent's, even if closed: its next run needs it. A folder has other files, but not for a
    /// generator that knows its store already and continues above an inherited position.
    fn do_without_file(&self, state: &mut State<K>, before: &Holding<K>) {
        let Some(StateAt { path, .. }) = self.kind.state() else { return };
        let (is_folder, shown) = (leafid_state::is_folder(path), path.display());
        if is_folder && !before.kept.is_of_a_store() && before.line.stands_at() == 0 {
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

    /// Takes the lock; for its rules see [`state`](crate::client::driver::state).
    pub(super) fn lock(&self) -> MutexGuard<'_, State<K>> {
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

    /// Draws an ID without the lock; `None` gives no reason. One at a time.
    #[inline]
    pub fn draw(&self) -> Option<u64> {
        if !self.is_current() {
            return None;
        }
        let Drawn { id, calls_driver } = self.draw_here()?;
        if calls_driver {
            self.call_driver();
        }
        Some(id)
    }

    /// As [`draw`](Self::draw), without a function call, so that the caller need not save registers on the
    /// stack. The caller has to call the driver itself, and on `None` try `draw`, which checks more.
    #[inline]
    pub fn draw_calling_nothing(&self) -> Option<Drawn> {
        if fork::is_current_by_load(self.generation) { self.draw_here() } else { None }
    }

    #[inline]
    fn draw_here(&self) -> Option<Drawn> {
        let mut ids = *self.ids.get()?;
        let now = if K::READS_CLOCK { self.clock.now() } else { HostTime::MIN };
        let limits = ids.limits(&mut &*self.line, now).ok()?;
        let run = self.line.take(ids.shape(), limits, 1).ok()?;
        // Load and store: callers take turns, and an atomic swap would cost as much as drawing.
        let before = self.drawn.load(Ordering::Relaxed);
        self.drawn.store(before.wrapping_add(1), Ordering::Relaxed);
        Some(Drawn {
            id: ids.id(run.positions.start, run.worker),
            calls_driver: run.positions.end >= self.call_from.load(Ordering::Relaxed),
        })
    }

    /// Copies what the lock-free path needs out of a changed state.
    pub(super) fn publish(&self, state: &State<K>) {
        if let Some(ids) = state.generator.ids() {
            let _ = self.ids.set(ids);
        }
        if let Some(code) = state.generator.failure()
            && (code.stops() || state.closing)
        {
            let _ = self.ended.set(code);
        }
        self.call_from.store(state.generator.poll_from(), Ordering::Release);
    }

    /// Wakes the driver from the lock-free path, once per published bound.
    #[cold]
    pub fn call_driver(&self) {
        self.call_from.store(NEVER, Ordering::Release);
        // Under the lock, so that the driver has published its state before.
        let _state = self.lock();
        self.wake_driver();
    }

    /// Wakes the driver, and the thread of the state file, which a slow store does not hold up.
    pub(super) fn wake_driver(&self) {
        self.saver_called.notify_one();
        self.called.store(true, Ordering::Release);
        if let Some(hub) = self.hub.get() {
            hub.wake();
        }
    }

    /// Closes the line; the driver sends the releases.
    pub fn retire(&self, gives_up: bool) {
        let mut state = self.lock();
        state.retire(gives_up);
        self.publish(&state);
        self.wake_driver();
        drop(state);
        self.wake_callers();
    }

    pub(super) fn wake_callers(&self) {
        self.answer_came.notify_all();
        self.bells.ring();
    }

    /// Drops every right at once, and sends nothing.
    pub fn forget(&self) {
        let mut state = self.lock();
        state.forget();
        self.publish(&state);
        self.wake_driver();
    }

    /// Gives back the rest of a window, drops that of a segment, and goes on with the next ID.
    pub fn give_back(&self, seed: u64) -> Result<(), Failed> {
        let mut state = self.lock();
        state.give_back(seed, &self.line)?;
        self.publish(&state);
        self.wake_driver();
        Ok(())
    }

    /// Whether a condition holds now, or after a wait of at most `moment`.
    pub fn within(&self, moment: Duration, is_so: fn(&State<K>) -> bool) -> bool {
        let state = self.lock();
        is_so(&state) || is_so(&rest(&self.answer_came, state, Some(moment)))
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
