//! The hub of a store in one process: the generators that draw from it, and the one thread that does
//! their tasks. A store sees one connection, however many tags there are.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use leafid_core::{Ask, Code, Grant, HostTime};

use crate::client::Failed;
use crate::client::driver::{Driven, Errand, rest};
use crate::client::host::fork::{self, Generation};
use crate::client::host::fork_cell::ForkCell;

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
    driven: Arc<dyn Driven>,
    /// When to look at the generator again without a call.
    at: Option<Instant>,
    /// A task fetched out of turn.
    put_off: Option<Errand>,
}

impl Entry {
    fn is_due(&self, now: Instant) -> bool {
        self.put_off.is_some() || self.driven.take_call() || self.at.is_some_and(|at| at <= now)
    }
}

/// The thread's next task, and its generator. `End` comes for the last generator only, and ends the
/// thread, which tells the generator after its last use of the host's language.
pub type Work = (Arc<dyn Driven>, Errand);

impl Hub {
    fn new() -> Hub {
        Hub { made_in: fork::current(), table: Mutex::default(), called: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a generator; whether a thread has to be started.
    pub fn join(self: &Arc<Self>, driven: Arc<dyn Driven>) -> bool {
        driven.listen(Arc::clone(self));
        let mut table = self.lock();
        table.entries.push(Entry { driven, at: Some(Instant::now()), put_off: None });
        self.called.notify_one();
        !std::mem::replace(&mut table.is_driven, true)
    }

    /// Drops all generators after the thread failed: they have no driver.
    pub fn abandon(&self) {
        let mut table = self.lock();
        table.is_driven = false;
        let entries = std::mem::take(&mut table.entries);
        drop(table);
        entries.iter().for_each(|entry| entry.driven.ended());
    }

    /// Waits for the next task. Only for the hub's thread.
    pub fn next(&self) -> Work {
        let mut table = self.lock();
        loop {
            let now = Instant::now();
            let (turn, count) = (table.turn, table.entries.len());
            let order = (turn..count).chain(0..turn.min(count));
            let mut due = order.filter(|at| table.entries[*at].is_due(now));
            if let Some(at) = due.next() {
                table.turn = at + 1;
                let (looked, work) = self.look(table, at);
                match work {
                    Some(work) => return work,
                    None => table = looked,
                }
                continue;
            }
            let soonest = table.entries.iter().filter_map(|entry| entry.at).min();
            let most = soonest.map(|at| at.saturating_duration_since(now));
            table = rest(&self.called, table, most);
        }
    }

    /// Fetches one generator's task, or else plans its next look. The table is unlocked meanwhile, since
    /// a caller that wakes this thread holds the generator's lock, which is needed here. The index stays
    /// valid: only this thread removes entries.
    fn look<'a>(
        &'a self,
        mut table: MutexGuard<'a, Table>,
        at: usize,
    ) -> (MutexGuard<'a, Table>, Option<Work>) {
        let entry = &mut table.entries[at];
        let (driven, put_off) = (Arc::clone(&entry.driven), entry.put_off.take());
        drop(table);
        let errand = put_off.unwrap_or_else(|| driven.poll_errand());
        let mut table = self.lock();
        let entry = &mut table.entries[at];
        match errand {
            Errand::Rest(rest) => {
                entry.at = rest.map(|rest| Instant::now() + rest);
                (table, None)
            }
            Errand::End => {
                table.entries.swap_remove(at);
                if table.entries.is_empty() {
                    table.is_driven = false;
                    return (table, Some((driven, Errand::End)));
                }
                drop(table);
                driven.ended();
                (self.lock(), None)
            }
            errand => {
                entry.at = Some(Instant::now());
                (table, Some((driven, errand)))
            }
        }
    }

    /// Passes on the answer of an ask that left at `sent` and `took` this long.
    pub fn answered(
        &self,
        driven: &dyn Driven,
        ask: &Ask,
        sent: HostTime,
        answer: Result<Grant, Failed>,
        took: Duration,
    ) {
        let unanswered = answer.as_ref().err();
        let unanswered = unanswered.filter(|f| f.code == Code::StoreUnavailable && took >= SLOW);
        let unanswered = unanswered.cloned();
        driven.answered(ask, sent, answer);
        if let Some(failed) = unanswered {
            self.tell_the_others(&failed);
        }
    }

    /// Fails the due asks of all other generators, which would otherwise time out one after another: with
    /// many tags that would take minutes.
    fn tell_the_others(&self, failed: &Failed) {
        let now = Instant::now();
        let count = self.lock().entries.len();
        for at in 0..count {
            let mut table = self.lock();
            let entry = &mut table.entries[at];
            if entry.put_off.is_some() || !entry.is_due(now) {
                continue;
            }
            entry.at = Some(now);
            let driven = Arc::clone(&entry.driven);
            drop(table);
            match driven.poll_errand() {
                Errand::Ask(ask, sent) => driven.answered(&ask, sent, Err(failed.clone())),
                other => self.lock().entries[at].put_off = Some(other),
            }
        }
    }

    /// Wakes the thread to look for calls.
    pub fn wake(&self) {
        // Under the lock, so that the thread is not just about to fall asleep.
        let _table = self.lock();
        self.called.notify_one();
    }
}

/// This process's hub of a store: a forked child makes its own, and never takes the inherited lock.
pub struct HubCell(ForkCell<Hub>);

impl HubCell {
    /// This process's hub. One at a time.
    pub fn get(&self) -> Arc<Hub> {
        if !fork::is_current(self.0.get().made_in) {
            self.0.replace(Arc::new(Hub::new()));
        }
        self.0.share()
    }
}

impl Default for HubCell {
    fn default() -> HubCell {
        HubCell(ForkCell::new(Arc::new(Hub::new())))
    }
}
