//! A store that is open: the way to its turns, which are taken on a thread of their own, or as a task
//! of a runtime that is there already.

use std::future::Future;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{oneshot, watch};

use super::health::Health;
use leafid_turn::groups::Scope;
use leafid_turn::stop::Stop;

use super::job::{Job, Kind};
use super::queue::{self, Queue, Sender};
use super::turn::Turns;
use crate::backends::{BackEnd, Facts, Watch};
use crate::clock::Clock;
use crate::fence::{Desk, Journal};
use crate::meter;
use crate::problem::Problem;
use crate::store::Inside;
use leafid_turn::rows::TurnRows;

/// A store that is open. When it is closed or, on a thread of its own, dropped, changes that wait are
/// still made.
pub struct Opened {
    pub shared: Arc<Shared>,
    /// The journal, where one is kept; it ends with the turns.
    pub journal: OnceLock<Weak<Journal>>,
    sender: RwLock<Option<Sender>>,
    thread: Option<JoinHandle<()>>,
    /// Its other end goes with the turns.
    ends: watch::Receiver<()>,
}

pub struct Shared {
    pub facts: Facts,
    pub watch: Arc<dyn Watch>,
    /// The clock that only ticks.
    pub clock: Arc<dyn Clock>,
    pub health: Health,
    pub desk: Arc<Desk>,
    pub meter: Arc<meter::Turns>,
}

impl Opened {
    /// Begins to take turns, as a task of this runtime where that is of use, or else on a thread.
    pub fn begin(
        runtime: Option<&Handle>,
        back_end: impl BackEnd,
        clock: Arc<dyn Clock>,
        first_use: bool,
    ) -> Result<Opened, Problem> {
        let shared = Arc::new(Shared {
            facts: back_end.facts(),
            watch: back_end.watch(),
            clock,
            health: Health::default(),
            desk: Arc::default(),
            meter: Arc::default(),
        });
        let runtime = runtime.filter(|_| back_end.abilities().is_remote);
        let (sender, queue) = Queue::new();
        let (going, ends) = watch::channel(());
        let turns = Turns::new(back_end, Arc::clone(&shared), first_use);
        let turns = async move {
            turns.run(queue).await;
            drop(going);
        };
        let thread = start(runtime, turns)
            .map_err(|error| Problem::unavailable(format!("no thread for the store: {error}")))?;
        let sender = RwLock::new(Some(sender));
        Ok(Opened { shared, journal: OnceLock::new(), sender, thread, ends })
    }

    /// Sends a request on its way to a turn.
    pub fn send<F, T>(
        &self,
        kind: Kind,
        scope: Scope,
        decide: F,
    ) -> Result<oneshot::Receiver<Result<T, Problem>>, Problem>
    where
        F: Fn(&mut TurnRows) -> Result<T, Stop> + Send + 'static,
        T: Send + 'static,
    {
        let (job, answer) = Job::new(kind, scope, self.shared.clock.boot(), decide);
        let sender = self.sender.read().unwrap_or_else(PoisonError::into_inner);
        let sent = sender.as_ref().ok_or_else(closed)?.try_send(job);
        sent.map(|()| answer).map_err(|error| match error {
            TrySendError::Full(_) => queue::full(),
            TrySendError::Closed(_) => closed(),
        })
    }

    pub fn journal(&self) -> Option<Arc<Journal>> {
        self.journal.get()?.upgrade()
    }

    pub fn inside(&self) -> Inside {
        let sender = self.sender.read().unwrap_or_else(PoisonError::into_inner);
        let arriving = sender.as_ref().map_or(0, |s| s.max_capacity() - s.capacity());
        Inside {
            turns: Arc::clone(&self.shared.meter),
            arriving: arriving as u64,
            position: self.shared.desk.position(),
            journal: self.journal().map(|journal| journal.sight()),
        }
    }

    /// Lets nobody in any more; what waits is still done, and then this ends.
    pub fn close(&self) -> impl Future<Output = ()> + Send + use<> {
        *self.sender.write().unwrap_or_else(PoisonError::into_inner) = None;
        let mut ends = self.ends.clone();
        // Nothing is ever sent: it hears when there is nobody left who could.
        async move { while ends.changed().await.is_ok() {} }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        drop(self.close());
        // A thread that panicked has said so itself. A task is not waited for: this may be one of those
        // that it needs to go on.
        self.thread.take().map(JoinHandle::join);
    }
}

fn start(
    runtime: Option<&Handle>,
    turns: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<Option<JoinHandle<()>>> {
    if let Some(runtime) = runtime {
        runtime.spawn(turns);
        return Ok(None);
    }
    let own = Builder::new_current_thread().enable_all().build()?;
    let thread = std::thread::Builder::new().name("leafid-store".to_owned());
    thread.spawn(move || own.block_on(turns)).map(Some)
}

pub fn closed() -> Problem {
    Problem::unavailable("the store is closed")
}
