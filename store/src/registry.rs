//! The server's store over any back end. Each turn reads the rows for the waiting requests, lets the core
//! decide, writes and answers. Requests that wait together for one tag or worker number are one write, and
//! a request that loses a race with another server is decided again.

mod alarm;
pub(crate) mod hands;
pub use leafid_turn::register::{Line, Server};
pub use leafid_turn::{aside, explain};
mod health;
mod job;
mod opened;
mod queue;
mod servers;
mod turn;

use std::future::{Future, ready};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use leafid_core::registry::{Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{
    AcquireAsk, Code, Name, Release, RenewAsk, SegmentAsk, SegmentGrant, StoreTime, Token,
    WindowGrant,
};
use tokio::runtime::Handle;

use crate::backends::link::pause;
use crate::backends::opening::{Found, Unopened};
use crate::backends::{Answer as Rows, BackEnd, Want};
use crate::clock::Clock as _;
use crate::fence::Register;
use crate::meter::leases::{Leases, OfSpace, Outcomes};
use crate::problem::Problem;
use crate::store::{Aside, Inside, NamespaceChange, Page, TagChange};

use futures_util::future::Either;
use leafid_turn::groups::Scope;
use leafid_turn::rows::TurnRows;
use leafid_turn::stop::Stop;
use leafid_turn::{namespaces, segments, windows};

use job::{Job, Kind};
use opened::{Opened, closed};

/// The time-out for a check whether the store is ready.
const READY: Duration = Duration::from_secs(1);

/// An answer that comes when its effect is durable. The request is queued by the call, even if the future
/// is never polled.
pub trait Answer<T>: Future<Output = Result<T, Problem>> + Send {}

impl<T, F: Future<Output = Result<T, Problem>> + Send> Answer<T> for F {}

/// A store that many requests share: leases disjoint ranges, durable before it answers.
///
/// # Errors
/// Every method gives the codes of its decision in the core, `TAG_UNKNOWN` or `NAMESPACE_UNKNOWN`
/// without a row, `WORKER_INVALID` for a number outside the layout, and `STORE_UNAVAILABLE` or
/// `OVERLOADED` if no answer is possible now.
pub struct Registry {
    place: String,
    state: Arc<State>,
    leases: Leases,
}

struct State {
    /// The open store; empty while a server has started without reaching its database.
    opened: OnceLock<Arc<Opened>>,
    why: Mutex<Problem>,
}

impl Registry {
    /// Makes a registry over a back end. A remote one runs as a task of this runtime, so that a request
    /// wakes no other thread; one that works in this process, or any without a runtime, gets a thread of
    /// its own.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if no thread can be started.
    pub fn over(
        runtime: Option<&Handle>,
        back_end: impl BackEnd,
        first_use: bool,
    ) -> Result<Registry, Problem> {
        let opened = Arc::new(Opened::begin(runtime, back_end, first_use)?);
        let place = opened.shared.facts.place.clone();
        let state = State { opened: OnceLock::from(opened), why: Mutex::new(closed()) };
        Ok(Registry { place, state: Arc::new(state), leases: Leases::default() })
    }

    /// Makes a registry for a database that could not be reached: keeps trying to open it, refuses every
    /// request with the reason until then, and calls `opened` when it succeeds.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if no thread can be started.
    pub fn late(
        place: String,
        why: Problem,
        open: impl Fn() -> Result<Registry, Unopened> + Send + 'static,
        opened: impl FnOnce(&Registry) + Send + 'static,
    ) -> Result<Registry, Problem> {
        let state = Arc::new(State { opened: OnceLock::new(), why: Mutex::new(why) });
        let (late, at) = (Arc::downgrade(&state), place.clone());
        let try_on = move || {
            for tries in 1.. {
                std::thread::sleep(pause(tries));
                if late.strong_count() == 0 {
                    return;
                }
                let done = open();
                let Some(late) = late.upgrade() else { return };
                match done {
                    Ok(registry) => {
                        tracing::info!(place = at, tries, "the store is open");
                        registry.opened().into_iter().for_each(|opened| {
                            late.opened.get_or_init(|| Arc::clone(opened));
                        });
                        return opened(&registry);
                    }
                    Err(unopened) => late.hear(unopened.problem, tries + 1),
                }
            }
        };
        let opener = std::thread::Builder::new().name("leafid-opener".to_owned()).spawn(try_on);
        opener.map_err(|error| {
            Problem::unavailable(format!("no thread to open the store: {error}"))
        })?;
        Ok(Registry { place, state, leases: Leases::default() })
    }

    fn opened(&self) -> Result<&Arc<Opened>, Problem> {
        let why = || self.state.why.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.state.opened.get().ok_or_else(why)
    }

    /// The store's random id; zeros before it is open, when no answer contains it.
    pub fn id(&self) -> Token {
        self.opened().map_or(Token::new([0; 16]), |opened| opened.shared.facts.store)
    }

    /// Where the store is, for messages.
    pub fn place(&self) -> String {
        self.place.clone()
    }

    /// The contents of the store when it was opened.
    ///
    /// # Errors
    /// Why it is not open yet.
    pub fn found(&self) -> Result<Found, Problem> {
        Ok(self.opened()?.shared.facts.found)
    }

    /// The counts of leases.
    pub fn leases(&self) -> &Leases {
        &self.leases
    }

    /// Reads the store's time; fails if the store cannot be used.
    pub fn now(&self) -> impl Answer<StoreTime> {
        self.submit(Kind::Take, Scope::Nothing, |turn| Ok(turn.now))
    }

    /// Reads the store's time, if something was written a moment ago or can be now; fails if nothing can be
    /// granted.
    pub async fn ready(&self) -> Result<StoreTime, Problem> {
        let shared = &self.opened()?.shared;
        let asked = async {
            match shared.health.recent() {
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
        // The turn may only be waiting for a locked row, with the database well.
        match tokio::time::timeout(READY, asked).await {
            Ok(answered) => answered,
            Err(_) => match self.register().waits_for.as_slice() {
                [] => shared.health.state(shared.facts.clock.boot()),
                silent => {
                    let names: Vec<&str> = silent.iter().map(|(name, _)| name.as_str()).collect();
                    Err(Problem::unavailable(format!(
                        "other servers of this store have not noted what this one wrote: {}",
                        names.join(", ")
                    )))
                }
            },
        }
    }

    /// Checks whether the store is still the one that was opened; if not, nothing more is granted. To be
    /// called each second.
    pub fn watch(&self) {
        let Ok(opened) = self.opened() else { return };
        // The check logs its result itself.
        if opened.shared.facts.watch.gone().is_some() {
            opened.shared.hands.clear();
        }
    }

    /// The last known generation of the store.
    pub fn generation(&self) -> u64 {
        self.state.opened.get().map_or(0, |opened| opened.shared.desk.generation())
    }

    /// The last known floor of windows from a fence; 0 without one.
    pub fn floor(&self) -> StoreTime {
        self.opened().map_or(StoreTime::new(0), |opened| opened.shared.desk.floor())
    }

    /// The store's servers, as this one saw them last.
    pub fn register(&self) -> Register {
        self.opened().map_or_else(|_| Register::default(), |opened| opened.shared.desk.register())
    }

    /// The internal state, for metrics; `None` before the store is open.
    pub fn inside(&self) -> Option<Inside> {
        Some(self.opened().ok()?.inside())
    }

    /// Refuses new requests, and completes when the earlier ones are done.
    pub fn close(&self) -> impl Future<Output = ()> + Send {
        let closing = self.opened().map(|opened| opened.close());
        async {
            if let Ok(closing) = closing {
                closing.await;
            }
        }
    }

    /// Leases the next numbers of a tag.
    pub fn lease_segment(&self, ask: SegmentAsk) -> impl Answer<SegmentGrant> {
        let note = move |leases: &Leases, answer: &Result<SegmentGrant, Problem>| {
            // A refusal with a position is about an existing, stopped tag, which counts by name.
            let there = |problem: &Problem| problem.figure("max_id").is_some();
            let there = answer.as_ref().err().is_none_or(there);
            leases.tags.of(&ask.tag, there).note(answer);
        };
        let scope = Scope::Tag(ask.tag);
        let opened = self.state.opened.get().map(|opened| Arc::clone(&opened.shared));
        let in_hand = opened.as_ref().and_then(|shared| {
            shared.hands.lease(shared.facts.store, &ask, shared.facts.clock.boot())
        });
        let answer = match in_hand {
            Some(lease) => {
                self.leases.from_memory.one();
                if lease.is_low {
                    self.fill(ask.tag, lease.grant.range.len());
                }
                Either::Left(ready(Ok(lease.grant)))
            }
            None => {
                let lease = move |turn: &mut TurnRows| hands::lease(turn, opened.as_deref(), &ask);
                Either::Right(self.submit(Kind::Take, scope, lease))
            }
        };
        self.heed(scope, ask.store, note, answer)
    }

    /// Reserves more numbers of a tag, ahead of use.
    fn fill(&self, tag: Name, granted: u64) {
        let Ok(opened) = self.opened() else { return };
        let shared = Arc::clone(&opened.shared);
        // Nobody waits for it.
        drop(self.submit(Kind::Change, Scope::Tag(tag), move |turn| {
            hands::fill(turn, &shared, &tag, granted)
        }));
    }

    /// Grants a worker number and a first window.
    pub fn acquire(&self, ask: AcquireAsk) -> impl Answer<WindowGrant> {
        let (scope, note) = (Scope::Namespace(ask.namespace), of(ask.namespace, |of| &of.acquires));
        let acquire = move |turn: &mut TurnRows| windows::acquire(turn, &ask);
        self.heed(scope, ask.store, note, self.submit(Kind::Acquire, scope, acquire))
    }

    /// Grants a later end of a window.
    pub fn renew(&self, ask: RenewAsk) -> impl Answer<WindowGrant> {
        let note = of(ask.namespace, |of| &of.renewals);
        let scope = Scope::Worker(ask.namespace, ask.worker);
        let renew = move |turn: &mut TurnRows| windows::renew(turn, &ask, None);
        self.heed(scope, Some(ask.store), note, self.submit(Kind::Take, scope, renew))
    }

    /// Takes back the unused part of a window.
    pub fn release(&self, ask: Release) -> impl Answer<()> {
        let note = of(ask.namespace, |of| &of.releases);
        let scope = Scope::Worker(ask.namespace, ask.worker);
        let release = move |turn: &mut TurnRows| windows::release(turn, &ask);
        self.heed(scope, Some(ask.store), note, self.submit(Kind::Change, scope, release))
    }

    /// Releases a number for an operator: it is neither held nor kept from now on, and its window runs out.
    pub fn revoke(&self, namespace: Name, worker: u32) -> impl Answer<()> {
        let scope = Scope::Worker(namespace, worker);
        self.submit(Kind::Change, scope, move |turn| windows::revoke(turn, &namespace, worker))
    }

    /// Sets a number aside for use outside leafid, or takes it over from there.
    pub fn set_aside(&self, namespace: Name, worker: u32, ask: Aside) -> impl Answer<WorkerRow> {
        let scope = Scope::Worker(namespace, worker);
        self.submit(Kind::Change, scope, move |turn| {
            aside::set_aside(turn, &namespace, worker, &ask)
        })
    }

    /// Reads the row of a tag that is not deleted.
    pub fn tag(&self, tag: Name) -> impl Answer<TagRow> {
        self.submit(Kind::Take, Scope::Tag(tag), move |turn| segments::tag(turn, &tag))
    }

    /// Lists tags that are not deleted, by name.
    pub fn tags(&self, page: Page<Name>) -> impl Answer<Vec<(Name, TagRow)>> {
        self.submit(Kind::Take, Scope::Nothing, move |turn| match turn.list(Want::Tags(page))? {
            Rows::Tags(rows) => Ok(rows),
            _ => Ok(Vec::new()),
        })
    }

    /// Creates or changes a tag.
    pub fn put_tag(&self, tag: Name, change: TagChange) -> impl Answer<TagRow> {
        self.change_tag(tag, move |turn| segments::put(turn, &tag, &change))
    }

    /// Moves the position of a tag up to `to`, never down.
    pub fn advance_tag(&self, tag: Name, to: u64) -> impl Answer<TagRow> {
        self.change_tag(tag, move |turn| segments::advance(turn, &tag, to))
    }

    /// Deletes a tag; a tombstone keeps its position.
    pub fn delete_tag(&self, tag: Name) -> impl Answer<()> {
        self.change_tag(tag, move |turn| segments::delete(turn, &tag))
    }

    /// Queues an operator's change of a tag: what is in hand of it counts no more.
    fn change_tag<T: Send + 'static>(
        &self,
        tag: Name,
        change: impl Fn(&mut TurnRows) -> Result<T, Stop> + Send + 'static,
    ) -> impl Answer<T> {
        self.submit(Kind::Change, Scope::Tag(tag), move |turn| {
            turn.settle(&tag);
            change(turn)
        })
    }

    /// Reads the row of a namespace.
    pub fn namespace(&self, namespace: Name) -> impl Answer<Namespace> {
        let scope = Scope::Namespace(namespace);
        self.submit(Kind::Take, scope, move |turn| namespaces::namespace(turn, &namespace))
    }

    /// Lists namespaces, by name.
    pub fn namespaces(&self, page: Page<Name>) -> impl Answer<Vec<(Name, Namespace)>> {
        let list = Want::Namespaces(page);
        self.submit(Kind::Take, Scope::Nothing, move |turn| match turn.list(list)? {
            Rows::Namespaces(rows) => Ok(rows),
            _ => Ok(Vec::new()),
        })
    }

    /// Creates or changes a namespace.
    pub fn put_namespace(&self, name: Name, change: NamespaceChange) -> impl Answer<Namespace> {
        let put = move |turn: &mut TurnRows| namespaces::put(turn, &name, &change);
        self.submit(Kind::Change, Scope::Namespace(name), put)
    }

    /// Lists the numbers of a namespace that were ever granted.
    pub fn workers(&self, namespace: Name, page: Page<u32>) -> impl Answer<Vec<Worker>> {
        self.submit(Kind::Take, Scope::Namespace(namespace), move |turn| {
            namespaces::namespace(turn, &namespace)?;
            Ok(turn.list(Want::Workers(namespace, page))?.workers())
        })
    }

    fn heed<T>(
        &self,
        scope: Scope,
        named: Option<Token>,
        note: impl FnOnce(&Leases, &Result<T, Problem>) + Send,
        answer: impl Answer<T>,
    ) -> impl Answer<T> {
        async move {
            let answer = answer.await;
            note(&self.leases, &answer);
            answer.inspect_err(|problem| alarm::hear(problem, scope, named, self.id()))
        }
    }

    /// Queues a decision for a turn, and answers when its changes are durable. Unless it is a
    /// [`Kind::Change`], it is skipped if the answer was dropped before its turn, or if that came later
    /// than callers wait (`OVERLOADED`).
    fn submit<T, F>(&self, kind: Kind, scope: Scope, decide: F) -> impl Answer<T>
    where
        F: Fn(&mut TurnRows) -> Result<T, Stop> + Send + 'static,
        T: Send + 'static,
    {
        let sent = self.opened().and_then(|opened| {
            let (job, answer) = Job::new(kind, scope, opened.shared.facts.clock.boot(), decide);
            opened.send(job).map(|()| answer)
        });
        async { sent?.await.unwrap_or_else(|_| Err(closed())) }
    }
}

fn of<T>(
    namespace: Name,
    kind: fn(&OfSpace) -> &Outcomes,
) -> impl FnOnce(&Leases, &Result<T, Problem>) + Send {
    move |leases, answer| kind(&leases.spaces.of(&namespace, answer.is_ok())).note(answer)
}

impl State {
    fn hear(&self, mut problem: Problem, tries: u32) {
        tracing::warn!(code = %problem.code, tries, "not open: {}", problem.detail);
        if matches!(problem.code, Code::Unauthorized | Code::Forbidden) {
            // The database denied access to this server, not to the caller.
            problem = Problem::unavailable(problem.detail);
        }
        *self.why.lock().unwrap_or_else(PoisonError::into_inner) = problem;
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").field("place", &self.place).finish_non_exhaustive()
    }
}
