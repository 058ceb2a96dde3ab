//! The server's store over any back end: one turn after another reads what requests want, has the
//! core decide, explains what it refuses, writes, and answers. Requests that wait together for the
//! same line are one write; what others wrote first is decided again.

pub mod aside;
mod cache;
mod entry;
pub mod explain;
mod fair;
mod groups;
mod health;
mod job;
mod namespace_rows;
mod namespaces;
mod queue;
mod rows;
mod run;
mod segments;
mod stop;
mod time;
mod turn;
mod windows;

use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};
use std::time::Duration;

use leafid_core::registry::{Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{
    AcquireAsk, Name, Release, RenewAsk, SegmentAsk, SegmentGrant, StoreTime, Token, WindowGrant,
};
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::oneshot;

use crate::backends::opening::Found;
use crate::backends::{Answer as Rows, BackEnd, Facts, Want, Watch};
use crate::clock::Clock;
use crate::fence::{Desk, Guard, Journal, Repaired, Witness};
use crate::meter;
use crate::problem::Problem;
use crate::store::{Answer, Aside, Inside, NamespaceChange, Page, Store, TagChange};

use cache::Cache;
use groups::Scope;
use health::Health;
use job::{Job, Kind};
use queue::{Queue, Sender};
use rows::TurnRows;
use run::Run;
use stop::Stop;
use time::Time;
use turn::{Answers, Turns};

/// Within this time it is said whether the store is ready.
const READY: Duration = Duration::from_secs(1);

/// A store over a back end. When it is closed or, on a thread of its own, dropped, changes that wait
/// are still made.
pub struct Registry {
    facts: Facts,
    watch: Arc<dyn Watch>,
    health: Arc<Health>,
    clock: Arc<dyn Clock>,
    sender: RwLock<Option<Sender>>,
    run: Run,
    desk: Arc<Desk>,
    meter: Arc<meter::turns::Turns>,
    /// The journal, where one is kept; it ends with the turns.
    journal: OnceLock<Weak<Journal>>,
}

impl Registry {
    /// Takes over a back end, and starts the thread that uses it.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` where no thread can be had.
    pub fn over(
        back_end: impl BackEnd,
        clock: Arc<dyn Clock>,
        first_use: bool,
    ) -> Result<Registry, Problem> {
        Registry::on(None, back_end, clock, first_use)
    }

    /// Takes over a back end that waits for another program, and uses it as a task of this runtime:
    /// a request is then decided where it came in, and wakes no thread on its way. A back end that
    /// does its work itself keeps a thread of its own, and so does any where no runtime is given.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` where no thread can be had.
    pub fn on(
        runtime: Option<&Handle>,
        back_end: impl BackEnd,
        clock: Arc<dyn Clock>,
        first_use: bool,
    ) -> Result<Registry, Problem> {
        let (facts, watch) = (back_end.facts(), back_end.watch());
        let health = Arc::new(Health::default());
        let desk = Arc::new(Desk::default());
        let meter = Arc::new(meter::turns::Turns::default());
        let abilities = back_end.abilities();
        let turns = Turns {
            abilities,
            back_end,
            facts: facts.clone(),
            watch: Arc::clone(&watch),
            first_use,
            health: Arc::clone(&health),
            clock: Arc::clone(&clock),
            time: Time::start(facts.now, clock.boot()),
            cache: Cache::default(),
            answers: Answers::default(),
            guard: Guard::new(Arc::clone(&desk)),
            meter: Arc::clone(&meter),
        };
        let (sender, queue) = Queue::new();
        let run = Run::start(runtime.filter(|_| abilities.waits), turns.run(queue));
        let run =
            run.map_err(|error| Problem::unavailable(format!("no thread for the store: {error}")))?;
        let (sender, journal) = (RwLock::new(Some(sender)), OnceLock::new());
        Ok(Registry { facts, watch, health, clock, sender, run, desk, meter, journal })
    }

    /// What the back end held when it was opened.
    pub fn found(&self) -> Found {
        self.facts.found
    }

    /// Notes what is written from now on in a journal, and compares the store with what stands there
    /// before the next request is answered; with `believe_clock` without the times that stand there.
    pub fn keep(&self, mut journal: Journal, believe_clock: bool) {
        if believe_clock {
            journal.found.forget_times();
        }
        let journal = Arc::new(journal);
        self.journal.get_or_init(|| Arc::downgrade(&journal));
        self.desk.order(|orders| orders.journal = Some(journal));
    }

    /// Fences the store, whatever it looks like: every line is moved past what may have been granted,
    /// also past what a server's journal knows.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` where it cannot be written.
    pub fn repair(&self, heard: Option<Witness>) -> Answer<'_, Repaired> {
        let (asked, done) = oneshot::channel();
        self.desk.order(|orders| (orders.repair, orders.heard) = (Some(asked), heard));
        Box::pin(async move {
            let turned = self.now().await;
            match done.await {
                Ok(done) => done,
                Err(_) => Err(turned.err().unwrap_or_else(closed)),
            }
        })
    }

    /// An operator's change of a tag, answered when it stands in the journal, too: it may be larger than
    /// any gap.
    fn noted<'a, T: Send + 'a>(&'a self, changed: Answer<'a, T>) -> Answer<'a, T> {
        Box::pin(async move {
            let changed = changed.await?;
            match self.journal.get().and_then(Weak::upgrade) {
                Some(journal) => journal.synced().await.map(|()| changed),
                None => Ok(changed),
            }
        })
    }

    /// Lets nobody in any more; what waits is still done.
    fn let_go(&self) {
        *self.sender.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Has this decided in a turn and answers when what it changes is durable. Unless it is a
    /// [`Kind::Change`], it is not done when the answer was dropped before its turn came, nor when
    /// that took longer than callers wait (`OVERLOADED`).
    fn submit<F, T>(&self, kind: Kind, scope: Scope, decide: F) -> Answer<'_, T>
    where
        F: Fn(&mut TurnRows) -> Result<T, Stop> + Send + 'static,
        T: Send + 'static,
    {
        let (job, answer) = Job::new(kind, scope, self.clock.boot(), decide);
        let sender = self.sender.read().unwrap_or_else(PoisonError::into_inner);
        let sent = match &*sender {
            Some(sender) => sender.try_send(job).map_err(|error| match error {
                TrySendError::Full(_) => queue::full(),
                TrySendError::Closed(_) => closed(),
            }),
            None => Err(closed()),
        };
        drop(sender);
        Box::pin(async move {
            sent?;
            answer.await.unwrap_or_else(|_| Err(closed()))
        })
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").field("facts", &self.facts).finish_non_exhaustive()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.let_go();
        self.run.join();
    }
}

fn closed() -> Problem {
    Problem::unavailable("the store is closed")
}

impl Store for Registry {
    fn id(&self) -> Token {
        self.facts.store
    }

    fn place(&self) -> String {
        self.facts.place.clone()
    }

    fn now(&self) -> Answer<'_, StoreTime> {
        self.submit(Kind::Take, Scope::Nothing, |turn| Ok(turn.now))
    }

    fn ready(&self) -> Answer<'_, StoreTime> {
        let asked = async move {
            match self.health.recent() {
                Some(outcome) => outcome?,
                None => {
                    let beat = |turn: &mut TurnRows| {
                        turn.beat();
                        Ok(())
                    };
                    self.submit(Kind::Take, Scope::Beat, beat).await?;
                }
            }
            self.now().await
        };
        Box::pin(async move {
            // A turn may wait for a row that somebody keeps locked: the database is well then.
            match tokio::time::timeout(READY, asked).await {
                Ok(answered) => answered,
                Err(_) => self.health.state(self.clock.boot()),
            }
        })
    }

    fn generation(&self) -> u64 {
        self.desk.generation()
    }

    fn floor(&self) -> StoreTime {
        self.desk.floor()
    }

    fn inside(&self) -> Option<Inside> {
        let sender = self.sender.read().unwrap_or_else(PoisonError::into_inner);
        let arriving = sender.as_ref().map_or(0, |s| s.max_capacity() - s.capacity());
        drop(sender);
        let journal = self.journal.get().and_then(Weak::upgrade).map(|journal| journal.sight());
        Some(Inside {
            turns: Arc::clone(&self.meter),
            arriving: arriving as u64,
            position: self.desk.position(),
            journal,
        })
    }

    fn look_again(&self) {
        self.desk.order(|orders| orders.look = true);
    }

    fn close(&self) -> Answer<'_, ()> {
        self.let_go();
        Box::pin(async {
            self.run.done().await;
            Ok(())
        })
    }

    fn watch(&self) {
        // Said in the log by itself.
        let _ = self.watch.gone();
    }

    fn lease_segment(&self, ask: SegmentAsk) -> Answer<'_, SegmentGrant> {
        self.submit(Kind::Take, Scope::Tag(ask.tag), move |turn| segments::lease(turn, &ask))
    }

    fn acquire(&self, ask: AcquireAsk) -> Answer<'_, WindowGrant> {
        let scope = Scope::Namespace(ask.namespace);
        self.submit(Kind::Acquire, scope, move |turn| windows::acquire(turn, &ask))
    }

    fn renew(&self, ask: RenewAsk) -> Answer<'_, WindowGrant> {
        let scope = Scope::Worker(ask.namespace, ask.worker);
        self.submit(Kind::Take, scope, move |turn| windows::renew(turn, &ask))
    }

    fn release(&self, release: Release) -> Answer<'_, ()> {
        let scope = Scope::Worker(release.namespace, release.worker);
        self.submit(Kind::Change, scope, move |turn| windows::release(turn, &release))
    }

    fn revoke(&self, namespace: Name, worker: u32) -> Answer<'_, ()> {
        let scope = Scope::Worker(namespace, worker);
        self.submit(Kind::Change, scope, move |turn| windows::revoke(turn, &namespace, worker))
    }

    fn set_aside(&self, namespace: Name, worker: u32, ask: Aside) -> Answer<'_, WorkerRow> {
        let scope = Scope::Worker(namespace, worker);
        self.submit(Kind::Change, scope, move |turn| {
            aside::set_aside(turn, &namespace, worker, &ask)
        })
    }

    fn tag(&self, tag: Name) -> Answer<'_, TagRow> {
        self.submit(Kind::Take, Scope::Tag(tag), move |turn| segments::tag(turn, &tag))
    }

    fn tags(&self, page: Page<Name>) -> Answer<'_, Vec<(Name, TagRow)>> {
        self.submit(Kind::Take, Scope::Nothing, move |turn| match turn.list(Want::Tags(page))? {
            Rows::Tags(rows) => Ok(rows),
            _ => Ok(Vec::new()),
        })
    }

    fn put_tag(&self, tag: Name, change: TagChange) -> Answer<'_, TagRow> {
        let scope = Scope::Tag(tag);
        let put = self.submit(Kind::Change, scope, move |turn| segments::put(turn, &tag, &change));
        self.noted(put)
    }

    fn advance_tag(&self, tag: Name, to: u64) -> Answer<'_, TagRow> {
        let scope = Scope::Tag(tag);
        let advance = move |turn: &mut TurnRows| segments::advance(turn, &tag, to);
        self.noted(self.submit(Kind::Change, scope, advance))
    }

    fn delete_tag(&self, tag: Name) -> Answer<'_, ()> {
        self.submit(Kind::Change, Scope::Tag(tag), move |turn| segments::delete(turn, &tag))
    }

    fn namespace(&self, namespace: Name) -> Answer<'_, Namespace> {
        let scope = Scope::Namespace(namespace);
        self.submit(Kind::Take, scope, move |turn| namespaces::namespace(turn, &namespace))
    }

    fn namespaces(&self, page: Page<Name>) -> Answer<'_, Vec<(Name, Namespace)>> {
        let list = Want::Namespaces(page);
        self.submit(Kind::Take, Scope::Nothing, move |turn| match turn.list(list)? {
            Rows::Namespaces(rows) => Ok(rows),
            _ => Ok(Vec::new()),
        })
    }

    fn put_namespace(&self, namespace: Name, change: NamespaceChange) -> Answer<'_, Namespace> {
        let scope = Scope::Namespace(namespace);
        self.submit(Kind::Change, scope, move |turn| namespaces::put(turn, &namespace, &change))
    }

    fn workers(&self, namespace: Name, page: Page<u32>) -> Answer<'_, Vec<Worker>> {
        self.submit(Kind::Take, Scope::Namespace(namespace), move |turn| {
            namespaces::namespace(turn, &namespace)?;
            Ok(turn.list(Want::Workers(namespace, page))?.workers())
        })
    }
}
