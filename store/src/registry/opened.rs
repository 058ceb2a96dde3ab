//! An open store: the queue to its turns, which run on a thread of their own or as a task of a given
//! runtime.

use std::future::Future;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::watch;

use super::hands::Hands;
use super::health::Health;
use super::job::Job;
use super::queue::{self, Queue, Sender};
use super::turn::Turns;
use crate::backends::{BackEnd, Facts};
use crate::fence::{Desk, Sight};
use crate::meter;
use crate::problem::Problem;
use crate::store::Inside;

/// An open store. After it is closed or, with a thread of its own, dropped, waiting changes are still
/// written.
pub struct Opened {
    pub shared: Arc<Shared>,
    /// The journal, if one is kept.
    pub journal: OnceLock<Sight>,
    sender: RwLock<Option<Sender>>,
    thread: Option<JoinHandle<()>>,
    /// Closes when the turns end.
    ends: watch::Receiver<()>,
}

pub struct Shared {
    pub facts: Facts,
    pub health: Health,
    pub desk: Arc<Desk>,
    pub hands: Arc<Hands>,
    pub meter: Arc<meter::Turns>,
}

impl Opened {
    /// Starts the turns, as a task of this runtime if the back end is remote, else on a thread.
    pub fn begin(
        runtime: Option<&Handle>,
        back_end: impl BackEnd,
        first_use: bool,
    ) -> Result<Opened, Problem> {
        let shared = Arc::new(Shared {
            facts: back_end.facts().clone(),
            health: Health::default(),
            desk: Arc::default(),
            hands: Arc::default(),
            meter: Arc::default(),
        });
        let runtime = runtime.filter(|_| shared.facts.abilities.is_remote);
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

    /// Queues a request.
    pub fn send(&self, job: Job) -> Result<(), Problem> {
        let sender = self.sender.read().unwrap_or_else(PoisonError::into_inner);
        sender.as_ref().ok_or_else(closed)?.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => queue::full(),
            TrySendError::Closed(_) => closed(),
        })
    }

    pub fn inside(&self) -> Inside {
        let sender = self.sender.read().unwrap_or_else(PoisonError::into_inner);
        let arriving = sender.as_ref().map_or(0, |s| s.max_capacity() - s.capacity());
        Inside {
            turns: Arc::clone(&self.shared.meter),
            arriving: arriving as u64,
            journal: self.journal.get().cloned(),
        }
    }

    /// Refuses new requests, and completes when the waiting ones are done.
    pub fn close(&self) -> impl Future<Output = ()> + Send + use<> {
        *self.sender.write().unwrap_or_else(PoisonError::into_inner) = None;
        let mut ends = self.ends.clone();
        // Nothing is ever sent: it ends when the sender is dropped.
        async move { while ends.changed().await.is_ok() {} }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        drop(self.close());
        // If the thread panicked, it has reported that itself. A task is not awaited: this may run on the
        // thread that it needs to go on.
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
