//! A store whose database could not be reached when the server started: it is tried again and again,
//! and until it opens every request hears why there is no store.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use leafid_core::registry::{Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{
    AcquireAsk, Code, Name, Release, RenewAsk, SegmentAsk, SegmentGrant, StoreTime, Token,
    WindowGrant,
};

use crate::backends::opening::Unopened;
use crate::backends::reconnect::pause;
use crate::problem::Problem;
use crate::registry::Registry;
use crate::store::{Answer, Aside, Inside, NamespaceChange, Page, Store, TagChange};

/// A store that is not open yet, or since.
pub struct Late {
    place: String,
    state: Arc<State>,
    stop: Option<Sender<()>>,
    opener: Option<JoinHandle<()>>,
}

struct State {
    opened: OnceLock<Registry>,
    /// Why it is not open.
    why: Mutex<Problem>,
}

impl Late {
    /// Tries to open it until that succeeds, after a first try that failed; `opened` hears of it.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` where no thread can be had.
    pub fn begin(
        place: String,
        first: Problem,
        open: impl Fn() -> Result<Registry, Unopened> + Send + 'static,
        opened: impl FnOnce(&Registry) + Send + 'static,
    ) -> Result<Late, Problem> {
        let state = Arc::new(State { opened: OnceLock::new(), why: Mutex::new(first) });
        let (stop, stopped) = channel::<()>();
        let (shared, at) = (Arc::clone(&state), place.clone());
        let try_on = move || {
            let mut tries = 1;
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(pause(tries)) {
                match open() {
                    Ok(registry) => {
                        tracing::info!(place = at, tries, "the store is open");
                        opened(shared.opened.get_or_init(|| registry));
                        return;
                    }
                    Err(unopened) => {
                        let mut problem = unopened.problem;
                        tries += 1;
                        tracing::warn!(code = %problem.code, tries, "not open: {}", problem.detail);
                        if matches!(problem.code, Code::Unauthorized | Code::Forbidden) {
                            // It is this server that the database does not let in, not who asks it.
                            problem = Problem::unavailable(problem.detail);
                        }
                        *shared.why.lock().unwrap_or_else(PoisonError::into_inner) = problem;
                    }
                }
            }
        };
        let opener = std::thread::Builder::new().name("leafid-opener".to_owned()).spawn(try_on);
        let opener = opener.map_err(|error| {
            Problem::unavailable(format!("no thread to open the store: {error}"))
        })?;
        Ok(Late { place, state, stop: Some(stop), opener: Some(opener) })
    }

    /// Has the store do it, if it is open.
    fn by<'s, T: Send + 's>(
        &'s self,
        run: impl FnOnce(&'s Registry) -> Answer<'s, T>,
    ) -> Answer<'s, T> {
        match self.state.opened.get() {
            Some(registry) => run(registry),
            None => {
                let why = self.state.why.lock().unwrap_or_else(PoisonError::into_inner).clone();
                Box::pin(async move { Err(why) })
            }
        }
    }
}

impl Drop for Late {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(opener) = self.opener.take() {
            // A thread that panicked has said so itself.
            let _ = opener.join();
        }
    }
}

impl Store for Late {
    fn id(&self) -> Token {
        // No answer carries it before the store is open.
        self.state.opened.get().map_or(Token::new([0; 16]), Store::id)
    }

    fn place(&self) -> String {
        self.place.clone()
    }

    fn now(&self) -> Answer<'_, StoreTime> {
        self.by(|store| store.now())
    }

    fn ready(&self) -> Answer<'_, StoreTime> {
        self.by(|store| store.ready())
    }

    fn watch(&self) {
        if let Some(store) = self.state.opened.get() {
            store.watch();
        }
    }

    fn generation(&self) -> u64 {
        self.state.opened.get().map_or(0, Store::generation)
    }

    fn floor(&self) -> StoreTime {
        self.state.opened.get().map_or(StoreTime::new(0), Store::floor)
    }

    fn inside(&self) -> Option<Inside> {
        self.state.opened.get()?.inside()
    }

    fn look_again(&self) {
        if let Some(store) = self.state.opened.get() {
            store.look_again();
        }
    }

    fn close(&self) -> Answer<'_, ()> {
        match self.state.opened.get() {
            Some(store) => store.close(),
            None => Box::pin(async { Ok(()) }),
        }
    }

    fn lease_segment(&self, ask: SegmentAsk) -> Answer<'_, SegmentGrant> {
        self.by(|store| store.lease_segment(ask))
    }

    fn acquire(&self, ask: AcquireAsk) -> Answer<'_, WindowGrant> {
        self.by(|store| store.acquire(ask))
    }

    fn renew(&self, ask: RenewAsk) -> Answer<'_, WindowGrant> {
        self.by(|store| store.renew(ask))
    }

    fn release(&self, release: Release) -> Answer<'_, ()> {
        self.by(|store| store.release(release))
    }

    fn revoke(&self, namespace: Name, worker: u32) -> Answer<'_, ()> {
        self.by(|store| store.revoke(namespace, worker))
    }

    fn set_aside(&self, namespace: Name, worker: u32, aside: Aside) -> Answer<'_, WorkerRow> {
        self.by(|store| store.set_aside(namespace, worker, aside))
    }

    fn tag(&self, tag: Name) -> Answer<'_, TagRow> {
        self.by(|store| store.tag(tag))
    }

    fn tags(&self, page: Page<Name>) -> Answer<'_, Vec<(Name, TagRow)>> {
        self.by(|store| store.tags(page))
    }

    fn put_tag(&self, tag: Name, change: TagChange) -> Answer<'_, TagRow> {
        self.by(|store| store.put_tag(tag, change))
    }

    fn advance_tag(&self, tag: Name, to: u64) -> Answer<'_, TagRow> {
        self.by(|store| store.advance_tag(tag, to))
    }

    fn delete_tag(&self, tag: Name) -> Answer<'_, ()> {
        self.by(|store| store.delete_tag(tag))
    }

    fn namespace(&self, namespace: Name) -> Answer<'_, Namespace> {
        self.by(|store| store.namespace(namespace))
    }

    fn namespaces(&self, page: Page<Name>) -> Answer<'_, Vec<(Name, Namespace)>> {
        self.by(|store| store.namespaces(page))
    }

    fn put_namespace(&self, namespace: Name, change: NamespaceChange) -> Answer<'_, Namespace> {
        self.by(|store| store.put_namespace(namespace, change))
    }

    fn workers(&self, namespace: Name, page: Page<u32>) -> Answer<'_, Vec<Worker>> {
        self.by(|store| store.workers(namespace, page))
    }
}
