//! The connection to the store: made again when it is lost, with a pause that grows, and looked at
//! each time: behind the same name another store may stand now.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use leafid_core::Code;
use tokio::time::timeout;

use super::engine::{Broken, Engine, Identity, Key};
use super::open::hex;
use super::text::{self, Meta};
use crate::backends::{Fault, Watch};
use crate::problem::Problem;
use crate::random;

/// A connection is made within so long, or not.
pub const CONNECTING: Duration = Duration::from_millis(2_500);
/// An answer comes within so long, or nobody waits for it: less than the 3 s after which a holder
/// counts its ask as lost.
pub const EXCHANGE: Duration = Duration::from_millis(2_500);
/// The pause after the first try that failed.
const SHORTEST: Duration = Duration::from_millis(100);
/// The longest pause between two tries.
const LONGEST: Duration = Duration::from_secs(5);

/// Why nothing may be granted until a restart.
#[derive(Debug, Default)]
pub struct Gone(OnceLock<Problem>);

impl Gone {
    /// Notes it, and says it once.
    pub fn set(&self, problem: Problem) {
        let mut first = false;
        let problem = self.0.get_or_init(|| {
            first = true;
            problem
        });
        if first {
            tracing::error!(code = %problem.code, "{}", problem.detail);
        }
    }
}

impl Watch for Gone {
    fn gone(&self) -> Option<Problem> {
        self.0.get().cloned()
    }
}

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
    down: Option<Down>,
}

/// A store that was not reached.
struct Down {
    since: Instant,
    tries: u32,
    next: Instant,
    fault: Fault,
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
        Link { address, place, identity, allow_unsafe, gone, engine: None, down: None }
    }

    /// Whether another store was found by its name.
    pub fn gone(&self) -> Arc<Gone> {
        Arc::clone(&self.gone)
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
        if let Some(down) = &self.down
            && Instant::now() < down.next
        {
            return Err(down.fault.clone());
        }
        let connected = timeout(CONNECTING, self.connect()).await.unwrap_or_else(|_| {
            Err(self.word(&Broken::lost(format!("no answer within {CONNECTING:?}"))))
        });
        match connected {
            Ok(engine) => {
                self.engine = Some(engine);
                if let Some(down) = self.down.take() {
                    let (place, ms) = (&self.place, down.since.elapsed().as_millis());
                    tracing::info!(place, after_ms = ms, tries = down.tries, "connected again");
                }
                Ok(())
            }
            Err(fault) => Err(self.failed(fault)),
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
            if broken.lost {
                self.lose(&broken.detail);
            }
            self.word(&broken)
        })
    }

    /// The connection is not used again; the next turn makes another.
    pub fn lose(&mut self, why: &str) {
        if self.engine.take().is_some() {
            tracing::warn!(place = self.place, "the connection is lost, and made again: {why}");
        }
    }

    /// What broke, for a person.
    pub fn word(&self, broken: &Broken) -> Fault {
        Fault { detail: format!("{}: {}", self.place, broken.detail) }
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
             the store back or, if it is lost, make a new one: leafid init --replaces-lost {place}"
        );
        self.gone.set(Problem::new(Code::StoreChanged, detail.as_str()));
        Fault { detail }
    }

    /// Notes that it was not reached, and when it is tried again.
    fn failed(&mut self, fault: Fault) -> Fault {
        let now = Instant::now();
        let down = self.down.get_or_insert_with(|| {
            tracing::warn!(place = self.place, "cannot connect, tried again: {}", fault.detail);
            Down { since: now, tries: 0, next: now, fault: fault.clone() }
        });
        let longest = SHORTEST.saturating_mul(1 << down.tries.min(6)).min(LONGEST);
        let chance = random::bytes().map_or(0, |[byte]| u32::from(byte));
        down.tries += 1;
        // Servers that lost it together do not come back together.
        down.next = Instant::now() + longest * (205 + chance / 5) / 256;
        down.fault = fault.clone();
        fault
    }
}
