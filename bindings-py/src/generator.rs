//! A generator on this host: the lock-free face, and what is made anew in a forked child.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use leafid_core::{Code, HostTime, Ids, SharedLine, Stats};
use pyo3::prelude::*;

use crate::clock::Clock;
use crate::errors;
use crate::guard::{self, Generation};
use crate::kind::Kind;
use crate::random;
use crate::seen::Seen;
use crate::slot::Slot;
use crate::state::State;
use crate::store::StoreArg;

/// Never reached by a cursor: nobody needs to be called.
const NEVER: u64 = u64::MAX;

/// What one process works with.
pub struct Inner<K: Kind> {
    generation: Generation,
    line: Arc<SharedLine>,
    draw: OnceLock<<K::Core as leafid_core::Kind>::Ids>,
    /// The cursor from which on the carrying thread is to be called.
    mark: AtomicU64,
    /// IDs drawn without the lock; written by whoever holds the interpreter.
    drawn: AtomicU64,
    /// What was seen of the store, here and in the processes before.
    pub seen: Seen,
    /// Why nothing will ever be handed out again.
    pub ended: OnceLock<Code>,
    /// Where the time is read.
    pub clock: Clock,
    state: Mutex<State<K>>,
    /// The carrying thread waits here.
    pub calls: Condvar,
    /// Callers wait here.
    pub answers: Condvar,
    /// How many of them.
    pub waiting: AtomicUsize,
    /// What it is, for messages.
    pub about: String,
}

impl<K: Kind> Inner<K> {
    fn build(plan: &Plan<K>, before: Option<&Inner<K>>) -> PyResult<Inner<K>> {
        let about = plan.kind.about();
        let line = Arc::new(SharedLine::new());
        let built = plan.kind.build(random::seed()?, Arc::clone(&line));
        let reserve =
            built.map_err(|refusal| Python::attach(|py| errors::refuse(py, refusal, &about)))?;
        let inner = Inner {
            generation: guard::current(),
            line,
            draw: OnceLock::new(),
            mark: AtomicU64::new(NEVER),
            drawn: AtomicU64::new(0),
            seen: Seen::default(),
            ended: OnceLock::new(),
            clock: plan.clock.clone(),
            state: Mutex::new(State::new(reserve)),
            calls: Condvar::new(),
            answers: Condvar::new(),
            waiting: AtomicUsize::new(0),
            about,
        };
        if let Some(before) = before {
            inner.inherit(before);
        }
        Ok(inner)
    }

    /// Takes over from the process before what a child may read: where the line stood, what was
    /// seen of the store, and whether it was over. No lock of the old one is opened.
    fn inherit(&self, before: &Inner<K>) {
        self.drawn.store(before.drawn.load(Ordering::Relaxed), Ordering::Relaxed);
        self.seen.inherit(&before.seen);
        let mut state = self.lock();
        state.reserve.resume(before.seen.carryover(before.line.stands_at()));
        if let Some(code) = before.ended.get() {
            let _ = self.ended.set(*code);
            state.retire();
        }
    }

    /// Opens the lock; see [`State`].
    pub fn lock(&self) -> MutexGuard<'_, State<K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this was made in this process.
    #[inline]
    pub fn is_current(&self) -> bool {
        guard::is_current(self.generation)
    }

    /// Copies out what the lock-free face needs, after the state was touched.
    pub fn publish(&self, state: &State<K>) {
        if let Some(draw) = state.reserve.ids() {
            let _ = self.draw.set(draw);
        }
        if let Some(code) = state.reserve.failure()
            && (code.stops() || state.closing)
        {
            let _ = self.ended.set(code);
        }
        // While something is due by time, the thread needs no call.
        let by_draws = state.reserve.poll_at().is_none();
        let mark = if by_draws { state.reserve.ask_from() } else { NEVER };
        self.mark.store(mark, Ordering::Release);
    }

    /// Counts IDs drawn without the lock, and calls the thread when the line has reached the mark.
    #[inline]
    fn drew(&self, _py: Python<'_>, cursor: u64, count: u64) {
        // No swap is needed: the interpreter is held.
        let before = self.drawn.load(Ordering::Relaxed);
        self.drawn.store(before.wrapping_add(count), Ordering::Relaxed);
        if cursor >= self.mark.load(Ordering::Relaxed) {
            self.call();
        }
    }

    /// Calls the carrying thread.
    #[cold]
    pub fn call(&self) {
        self.mark.store(NEVER, Ordering::Release);
        // Under the lock, so that the thread is not just about to fall asleep.
        let _state = self.lock();
        self.calls.notify_one();
    }

    /// Closes the line; what is to be given back is sent by the thread.
    pub fn retire(&self) {
        let mut state = self.lock();
        state.retire();
        self.publish(&state);
        self.calls.notify_one();
        self.answers.notify_all();
    }

    /// The counters.
    pub fn stats(&self) -> Stats {
        let stats = self.lock().reserve.stats();
        let drawn = self.drawn.load(Ordering::Relaxed);
        Stats { ids: stats.ids.saturating_add(drawn), ..stats }
    }
}

/// What a generator is built from, in this process and in every child.
pub struct Plan<K: Kind> {
    /// Which generator.
    pub kind: K,
    /// Where ranges come from.
    pub store: StoreArg,
    /// Where the time is read.
    pub clock: Clock,
    /// How long callers wait unless they say, in s.
    pub timeout: f64,
}

/// A generator: what `Segment` and `Snowflake` are.
pub struct Generator<K: Kind> {
    /// What it is built from.
    pub plan: Plan<K>,
    inner: Slot<Inner<K>>,
}

impl<K: Kind> Generator<K> {
    /// A generator that has asked for nothing yet.
    ///
    /// # Errors
    /// The core's.
    pub fn new(plan: Plan<K>) -> PyResult<Generator<K>> {
        let inner = Inner::build(&plan, None)?;
        Ok(Generator { plan, inner: Slot::new(Arc::new(inner)) })
    }

    /// One ID.
    ///
    /// # Errors
    /// As `Segment.next`.
    #[inline]
    pub fn next(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<u64> {
        let inner = self.inner.get();
        if inner.is_current()
            && let Some(draw) = inner.draw.get()
        {
            let now = if K::READS_CLOCK { inner.clock.now() } else { HostTime::MIN };
            let mut line = &*inner.line;
            if let Ok(run) = draw.run(&mut line, now, 1) {
                inner.drew(py, run.positions.end, 1);
                return Ok(draw.id(run.positions.start, run.worker));
            }
        }
        self.wait_for(py, timeout, |reserve, now| reserve.next(now))
    }

    /// What this process works with: in a forked child a new one, made here.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn inner(&self, _py: Python<'_>) -> PyResult<Arc<Inner<K>>> {
        let inner = self.inner.get();
        if !inner.is_current() {
            let anew = Inner::build(&self.plan, Some(inner))?;
            self.inner.replace(Arc::new(anew));
        }
        Ok(self.inner.share())
    }

    /// Drops every right at once, and sends nothing.
    ///
    /// # Errors
    /// If a forked child's own cannot be built.
    pub fn forget(&self, py: Python<'_>) -> PyResult<()> {
        let inner = self.inner(py)?;
        let mut state = inner.lock();
        state.forget();
        inner.publish(&state);
        inner.calls.notify_one();
        Ok(())
    }
}

impl<K: Kind> Drop for Generator<K> {
    fn drop(&mut self) {
        // In a child, what was inherited stays as it is.
        if self.inner.get().is_current() {
            let inner = self.inner.give_back();
            inner.retire();
        }
    }
}
