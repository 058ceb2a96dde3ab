//! The hub of a store in one process: the generators that draw from it, and the one thread that carries
//! their asks. A store sees one connection, however many tags there are.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use leafid_core::Code;

use crate::Error;
use crate::driver::state::Errand;
use crate::driver::{Holding, asking, rest};
use crate::host::fork::{self, Generation};
use crate::host::fork_cell::Made;
use crate::host::thread;
use crate::stores::{Backend, Transport};

/// An ask that failed after this long was not refused but timed out: the next one would wait as long.
const SLOW: Duration = Duration::from_millis(500);

/// The generators of one store in one process.
pub struct Hub {
    made_in: Generation,
    table: Mutex<Table>,
    called: Condvar,
}

#[derive(Default)]
struct Table {
    entries: Vec<Entry>,
    is_driven: bool,
    /// The index to look at first: generators take turns.
    turn: usize,
}

struct Entry {
    holding: Arc<Holding>,
    /// When to look at the generator again without a call.
    at: Option<Instant>,
    /// Why an ask that is due has failed already: another one has just timed out.
    failed: Option<Error>,
}

impl Entry {
    fn is_due(&self, now: Instant) -> bool {
        self.holding.take_call() || self.at.is_some_and(|at| at <= now)
    }
}

/// Adds a generator to the hub of its store, and starts the thread where none runs.
pub fn spawn(store: &Arc<dyn Backend>, holding: &Arc<Holding>) -> io::Result<()> {
    let cell = store.hub();
    // A forked child makes its own, and never takes the inherited lock.
    let held = cell.get();
    if !fork::is_current(held.made_in) {
        cell.replace(held, Hub::new());
    }
    let hub = cell.share();
    if !hub.join(holding) {
        return Ok(());
    }
    let (own, store) = (Arc::clone(&hub), Arc::clone(store));
    // A waker or a log that panics costs this thread, and no generator: the next call starts another.
    let run = move || match catch_unwind(AssertUnwindSafe(|| store.run(&own))) {
        // Told last: the end of the process waits for it, and must not meet the host's language here.
        Ok(last) => last.ended(),
        Err(_) => own.abandon(),
    };
    thread::spawn("leafid store", run).map(drop).inspect_err(|_| hub.abandon())
}

impl Made for Hub {
    fn made_in(&self) -> Generation {
        self.made_in
    }
}

impl Hub {
    /// A hub without generators.
    pub fn new() -> Arc<Hub> {
        let (table, called) = (Mutex::default(), Condvar::new());
        Arc::new(Hub { made_in: fork::current(), table, called })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a generator; whether a thread has to be started.
    fn join(self: &Arc<Self>, holding: &Arc<Holding>) -> bool {
        holding.listen(Arc::clone(self));
        let holding = Arc::clone(holding);
        let mut table = self.lock();
        table.entries.push(Entry { holding, at: Some(Instant::now()), failed: None });
        self.called.notify_one();
        !std::mem::replace(&mut table.is_driven, true)
    }

    /// Drops all generators where no thread could be started, or one panicked.
    fn abandon(&self) {
        let mut table = self.lock();
        table.is_driven = false;
        let entries = std::mem::take(&mut table.entries);
        drop(table);
        entries.iter().for_each(|entry| entry.holding.ended());
    }

    /// Removes a generator that is done; whether it was the last one.
    fn leave(&self, at: usize) -> bool {
        let mut table = self.lock();
        table.entries.swap_remove(at);
        table.is_driven = !table.entries.is_empty();
        !table.is_driven
    }

    /// Waits until a generator is due. The index stays valid: only this thread removes entries.
    fn due(&self) -> (usize, Arc<Holding>) {
        let mut table = self.lock();
        loop {
            let now = Instant::now();
            let (turn, entries) = (table.turn, &table.entries);
            // Generators whose ask has failed already come first, not after another time-out.
            let failed = entries.iter().position(|entry| entry.failed.is_some());
            let mut order = (turn..entries.len()).chain(0..turn.min(entries.len()));
            if let Some(at) = failed.or_else(|| order.find(|at| entries[*at].is_due(now))) {
                let holding = Arc::clone(&entries[at].holding);
                table.turn = at + 1;
                return (at, holding);
            }
            let soonest = entries.iter().filter_map(|entry| entry.at).min();
            let most = soonest.map(|at| at.saturating_duration_since(now));
            table = rest(&self.called, table, most);
        }
    }

    /// Carries out the generators' actions until the last generator has ended, and returns that one, whose
    /// driver ends with this. Only for the thread of the hub.
    pub fn drive(&self, transport: &mut dyn Transport) -> Arc<Holding> {
        loop {
            let (at, holding) = self.due();
            // The table is unlocked, since a caller that wakes this thread holds the generator's lock.
            let errand = holding.poll_errand();
            let mut table = self.lock();
            let entry = &mut table.entries[at];
            let now = Instant::now();
            entry.at = if let Errand::Rest(rest) = errand {
                rest.map(|rest| now + rest)
            } else {
                Some(now)
            };
            let failed = entry.failed.take();
            drop(table);
            match (errand, failed) {
                (Errand::Rest(_), _) => {}
                (Errand::Ask(ask, sent), Some(failed)) => {
                    holding.answered(&ask, sent, Err(failed));
                }
                (Errand::Ask(ask, sent), None) => {
                    let answer = asking::ask(transport, &holding.config, &ask);
                    let failed = answer.as_ref().err().filter(|failed| {
                        failed.code() == Code::StoreUnavailable && now.elapsed() >= SLOW
                    });
                    let failed = failed.cloned();
                    holding.answered(&ask, sent, answer);
                    if let Some(failed) = failed {
                        self.fail_the_due(&failed);
                    }
                }
                (Errand::Release(release), _) => {
                    let _ = transport.release(&release);
                    holding.change(|state| state.sending = false);
                }
                (Errand::Reconnect, _) => transport.reconnect(),
                (Errand::End, _) => {
                    if holding.is_set_aside() {
                        // Such a holding is never freed, and its failure may refer to the user's store, an object of
                        // Python. Dropped before this thread attaches to Python again, which frees the object.
                        holding.change(|state| state.last = None);
                    }
                    if self.leave(at) {
                        return holding;
                    }
                    holding.ended();
                }
            }
        }
    }

    /// Fails all asks that are due now, which would otherwise time out one after another: with many tags
    /// that would take minutes.
    fn fail_the_due(&self, failed: &Error) {
        let now = Instant::now();
        for entry in self.lock().entries.iter_mut().filter(|entry| entry.is_due(now)) {
            entry.failed = Some(failed.clone());
        }
    }

    /// Wakes the thread to look for calls.
    pub fn wake(&self) {
        // Under the lock, so that the thread is not just about to fall asleep.
        let _table = self.lock();
        self.called.notify_one();
    }
}
