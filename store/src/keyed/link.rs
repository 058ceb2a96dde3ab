//! The connection to the store: made again when it is lost, with a pause that grows, and looked at
//! each time: behind the same name another store may stand now.

use std::sync::Arc;
use std::time::Duration;

use leafid_core::Code;
use tokio::time::timeout;

use super::engine::{Breakage, Broken, Engine, Identity, Key};
use super::text::{self, Meta};
use crate::backends::Fault;
use crate::backends::reconnect::{Gone, Tries};
use crate::hex::hex;
use crate::problem::Problem;

/// How long a connection may take to be made.
pub const CONNECTING: Duration = Duration::from_millis(2_500);
/// How long an answer is waited for: less than the 3 s after which a holder
/// counts its ask as lost.
pub const EXCHANGE: Duration = Duration::from_millis(2_500);
/// A store that is expected behind an address.
pub struct Link<E: Engine> {
    address: E::Address,
    /// Where it is, for a person.
    pub place: String,
    /// The store that was opened.
    pub identity: Identity,
    allow_unsafe: bool,
    gone: Arc<Gone>,
    engine: Option<E>,
    tries: Tries,
    connections: u64,
    denied: Option<Broken>,
}

impl<E: Engine> Link<E> {
    /// To the store that was found there; not connected yet.
    pub fn new(
        address: E::Address,
        place: String,
        identity: Identity,
        allow_unsafe: bool,
    ) -> Link<E> {
        let gone = Arc::default();
        let (engine, tries, connections, denied) = (None, Tries::default(), 0, None);
        Link { address, place, identity, allow_unsafe, gone, engine, tries, connections, denied }
    }

    /// Whether another store was found by its name.
    pub fn gone(&self) -> Arc<Gone> {
        Arc::clone(&self.gone)
    }

    /// How many connections were made, without the one that opened the store.
    pub fn connection(&self) -> u64 {
        self.connections
    }

    /// Makes sure that there is a connection, if it is time to try.
    ///
    /// # Errors
    /// There is none.
    pub async fn ready(&mut self) -> Result<(), Fault> {
        match &self.engine {
            Some(engine) if !engine.is_lost() => return Ok(()),
            Some(_) => self.lose("it was closed"),
            None => {}
        }
        self.tries.due()?;
        let connected = timeout(CONNECTING, self.connect()).await.unwrap_or_else(|_| {
            Err(self.word(&Broken::lost(format!("no answer within {CONNECTING:?}"))))
        });
        match connected {
            Ok(engine) => {
                self.engine = Some(engine);
                self.connections += 1;
                self.tries.done(&self.place);
                Ok(())
            }
            Err(fault) => Err(self.tries.failed(&self.place, fault)),
        }
    }

    /// Has an exchange, which ends in time; a connection that it broke is not used again.
    ///
    /// # Errors
    /// What was said.
    pub async fn exchange<T>(
        &mut self,
        run: impl AsyncFnOnce(&mut E) -> Result<T, Broken>,
    ) -> Result<T, Fault> {
        let Some(engine) = &mut self.engine else {
            return Err(Fault { detail: format!("there is no connection to {}", self.place) });
        };
        let done = timeout(EXCHANGE, run(engine)).await.unwrap_or_else(|_| {
            Err(Broken::lost(format!("{} did not answer within {EXCHANGE:?}", E::NAME)))
        });
        done.map_err(|broken| {
            if broken.is_lost() {
                self.lose(&broken.detail);
            }
            let fault = self.word(&broken);
            self.denied = Some(broken).filter(Broken::is_denied);
            fault
        })
    }

    /// What broke the last exchange, if that was not allowed.
    pub fn denied(&self) -> Option<&Broken> {
        self.denied.as_ref()
    }

    /// The connection is not used again; the next turn makes another.
    pub fn lose(&mut self, why: &str) {
        if self.engine.take().is_some() {
            self.tries.lost(&self.place, why);
        }
    }

    /// What broke, for a person.
    pub fn word(&self, broken: &Broken) -> Fault {
        Fault { detail: format!("{}: {}", self.place, said(broken)) }
    }

    /// Takes over a connection; ends it, if none is given.
    pub fn hold(&mut self, engine: Option<E>) {
        self.engine = engine;
    }

    /// Where a key lies.
    pub fn place_of(&self, key: &Key) -> String {
        match &self.engine {
            Some(engine) => engine.place(key),
            None => format!("{key:?}"),
        }
    }

    /// What the engine told of itself.
    pub fn engine(&mut self) -> Option<&mut E> {
        self.engine.as_mut()
    }

    async fn connect(&self) -> Result<E, Fault> {
        let word = |broken: Broken| self.word(&broken);
        let mut engine = E::connect(&self.address).await.map_err(word)?;
        let examined = engine.examine(self.allow_unsafe).await.map_err(word)?;
        examined.map_err(|problem| Fault { detail: problem.detail })?;
        let (found, _) = engine.survey(&[Key::Meta], &[]).await.map_err(word)?;
        let found = found.into_iter().flatten().next();
        let meta = found.as_ref().map(|found| (found.revision, text::read_meta(&found.text)));
        match meta {
            Some((meta, Ok(Meta { store, .. }))) if (Identity { store, meta }) == self.identity => {
                Ok(engine)
            }
            Some((_, Ok(meta))) => Err(self.another(&hex(meta.store))),
            Some((_, Err(nonsense))) => Err(self.another(&nonsense)),
            None => Err(self.another("none")),
        }
    }

    /// What was opened is not there any more.
    pub fn another(&self, found: &str) -> Fault {
        let (place, store) = (&self.place, hex(self.identity.store));
        let detail = format!(
            "{place} is not store {store} any more, which this server has opened (found: {found}): \
             it was emptied, replaced or put back; nothing is granted: stop this server, and put \
             the store back or, if it is lost, make a new one: leafid init --replaces-lost --store {place}"
        );
        self.gone.set(Problem::new(Code::StoreChanged, detail.as_str()));
        Fault { detail }
    }
}

/// What broke, and what to do about it.
pub fn said(broken: &Broken) -> String {
    let detail = &broken.detail;
    match broken.kind {
        Breakage::Lost | Breakage::Refused => detail.clone(),
        Breakage::Unknown => format!(
            "{detail}; put the right user and password into the URL, as USER:PASSWORD@ before the host"
        ),
        Breakage::Forbidden => {
            format!("{detail}; give the user of the URL the rights that docs/STORES.md names")
        }
    }
}

/// The code of a store that could not be opened. Callers of a server that runs already hear
/// `STORE_UNAVAILABLE` instead: what it may do in its database is not their doing.
pub fn unopened_code(broken: &Broken) -> Code {
    match broken.kind {
        Breakage::Lost | Breakage::Refused => Code::StoreUnavailable,
        Breakage::Unknown => Code::Unauthorized,
        Breakage::Forbidden => Code::Forbidden,
    }
}
