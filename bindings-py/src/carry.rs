//! The thread that carries asks to the store and answers back: started at the first ID, and
//! nothing that keeps a process alive.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use leafid_core::{Ask, Grant, HostTime};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::Failed;
use crate::generator::{Inner, Plan};
use crate::kind::Kind;
use crate::live;
use crate::object;
use crate::random;
use crate::state::{Around, Job};
use crate::store::StoreArg;
use crate::transport::Transport;
use crate::work::Work;

/// How often a window's thread looks whether the host was suspended.
const LOOK_UP: Duration = Duration::from_secs(1);
/// How often a thread looks at a clock that a test moves.
const LOOK_UP_OF_TESTS: Duration = Duration::from_millis(2);
/// When to try again where the system gave no randomness.
const NO_RANDOMNESS: Duration = Duration::from_millis(100);

impl<K: Kind> Work for Inner<K> {
    fn next_job(&self) -> Job {
        let mut state = self.lock();
        loop {
            let patience = match random::draw() {
                Err(_) => Some(NO_RANDOMNESS),
                Ok(entropy) => match state.job(&self.clock, entropy) {
                    Job::Wait(at) => {
                        self.publish(&state);
                        at.map(|at| at.since(self.clock.exact()))
                            .map(|ms| Duration::from_millis(u64::try_from(ms).unwrap_or(0).max(1)))
                    }
                    job => return job,
                },
            };
            let look_up = match (self.clock.is_given(), K::READS_CLOCK) {
                (true, _) => Some(LOOK_UP_OF_TESTS),
                (false, true) => Some(LOOK_UP),
                (false, false) => None,
            };
            state = match patience.into_iter().chain(look_up).min() {
                Some(patience) => match self.calls.wait_timeout(state, patience) {
                    Ok((state, _)) => state,
                    Err(poisoned) => poisoned.into_inner().0,
                },
                None => match self.calls.wait(state) {
                    Ok(state) => state,
                    Err(poisoned) => poisoned.into_inner(),
                },
            };
        }
    }

    fn answered(&self, ask: &Ask, sent: HostTime, answer: Result<Grant, Failed>) {
        let mut state = self.lock();
        let around = Around { clock: &self.clock, seen: &self.seen, about: &self.about };
        state.answered(around, ask, sent, answer);
        self.publish(&state);
        drop(state);
        self.answers.notify_all();
    }

    fn ended(&self) {
        self.lock().carried = false;
        self.answers.notify_all();
    }

    fn is_over(&self) -> bool {
        self.waiting.load(Ordering::Acquire) == 0 && !self.lock().carried
    }

    fn retire(&self) {
        Inner::retire(self);
    }

    fn is_ours(&self) -> bool {
        self.is_current()
    }

    fn about(&self) -> &str {
        &self.about
    }
}

/// Starts the thread of a generator.
///
/// # Errors
/// `RuntimeError` if the system gives no thread.
pub fn start<K: Kind>(py: Python<'_>, inner: &Arc<Inner<K>>, plan: &Plan<K>) -> PyResult<()> {
    let work: Arc<dyn Work> = Arc::clone(inner) as Arc<dyn Work>;
    let weak: Weak<dyn Work> = Arc::downgrade(&work);
    let started = match &plan.store {
        StoreArg::Http(http) => native(work, Box::new(http.connect())),
        StoreArg::Memory(shelf) => native(work, Box::new(Arc::clone(shelf))),
        StoreArg::Object(store) => object::start(py, work, store.bind(py)),
    };
    if started.is_err() {
        inner.lock().carried = false;
    } else {
        live::remember(py, weak);
    }
    started
}

fn native(work: Arc<dyn Work>, transport: Box<dyn Transport>) -> PyResult<()> {
    let name = format!("leafid {}", work.about());
    std::thread::Builder::new()
        .name(name)
        .spawn(move || {
            leave_signals_to_the_host();
            carry(&*work, transport);
        })
        .map(drop)
        .map_err(|error| PyRuntimeError::new_err(format!("no thread for leafid: {error}")))
}

fn carry(work: &dyn Work, mut transport: Box<dyn Transport>) {
    loop {
        match work.next_job() {
            Job::Ask(ask, sent) => work.answered(&ask, sent, transport.ask(&ask)),
            Job::Release(release) => transport.release(&release),
            Job::Reconnect => transport.reconnect(),
            Job::Wait(_) => {}
            Job::End => break,
        }
    }
    work.ended();
}

/// A signal that this thread took would not wake the main thread, where Python handles it.
#[cfg(unix)]
#[expect(unsafe_code, reason = "the standard library has no signal masks")]
fn leave_signals_to_the_host() {
    let mut all = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigfillset` initialises the set, which then is only read; the mask is this
    // thread's own.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut());
    }
}

#[cfg(not(unix))]
fn leave_signals_to_the_host() {}
