//! The connection to a database across a network: made again when it is lost, with a pause that grows,
//! and looked at each time: behind the same name another store may stand now.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use leafid_core::{Code, StoreTime};
use tokio::time::timeout;

use super::clock::{self, DatabaseClock};
use super::far::{Address, Client, Far, Meta, late, of_this_version};
use super::opening::{Found, Unopened};
use super::{Facts, Fault, Watch};
use crate::clock::{Clock, RegistryTime};
use crate::problem::Problem;
use crate::random;
use leafid_turn::hex;

/// A connection that nobody used for this long is asked whether it still answers.
const IDLE: Duration = Duration::from_secs(15);

/// Why an exchange failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// What the database or the client said: never a password.
    pub detail: String,
    /// What follows from it.
    pub kind: Breakage,
}

/// What follows from a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breakage {
    /// Nobody answers, or the connection broke: it may be better later, and nobody knows whether
    /// what was sent last was done.
    Lost,
    /// Another session was in the way, and all of the transaction was undone.
    Race,
    /// Another session kept a row locked for too long, and all of the transaction was undone; the
    /// connection goes on.
    Locked,
    /// The database refused, and all of the transaction was undone; the connection goes on.
    Refused,
    /// There is no database of that name.
    NoDatabase,
    /// It does not know who asks: wrong name or password.
    Unknown,
    /// It knows who asks, and that may not be done.
    Forbidden,
    /// Whoever answers is not known to be the database, or wants to know more of us.
    Untrusted,
    /// It cannot be a store, by its version, its settings or what another program wrote there.
    Unfit(Code),
}

impl From<Problem> for Broken {
    fn from(Problem { code, detail, .. }: Problem) -> Broken {
        Broken { detail, kind: Breakage::Unfit(code) }
    }
}

impl Broken {
    /// Why, and what follows.
    pub fn new(detail: impl Into<String>, kind: Breakage) -> Broken {
        Broken { detail: detail.into(), kind }
    }

    /// The connection is lost, or an answer did not come.
    pub fn lost(detail: impl Into<String>) -> Broken {
        Broken::new(detail, Breakage::Lost)
    }

    /// It said no.
    pub fn refused(detail: impl Into<String>) -> Broken {
        Broken::new(detail, Breakage::Refused)
    }

    /// Whether it does not let this server in, or not do this: no other member will, and no later try.
    pub fn is_denied(&self) -> bool {
        matches!(self.kind, Breakage::NoDatabase | Breakage::Unknown | Breakage::Forbidden)
    }

    fn ends(&self) -> bool {
        self.is_denied() || matches!(self.kind, Breakage::Lost | Breakage::Untrusted)
    }

    fn word<B: Far>(&self, place: &str) -> String {
        let (name, detail) = (B::Client::NAME, &self.detail);
        match self.kind {
            Breakage::NoDatabase => {
                let name = place.rsplit('/').next().unwrap_or("leafid");
                let name = name.split('?').next().unwrap_or(name);
                format!(
                    "{place}: {detail}; if the name is right, make the database first: CREATE DATABASE \
                     {name}; see docs/STORES.md"
                )
            }
            Breakage::Unknown | Breakage::Forbidden => format!(
                "{place} does not let this server in: {detail}; give the user of that name its password in \
                 the URL, as USER:PASSWORD@ before the host, and the rights that docs/STORES.md names"
            ),
            Breakage::Untrusted => format!("no TLS to {name} at {place}: {detail}"),
            Breakage::Unfit(_) => detail.clone(),
            _ => format!("{name} at {place} cannot be reached: {detail}"),
        }
    }

    /// Why a store could not be opened. Callers of a server that runs already hear `STORE_UNAVAILABLE`
    /// instead: what it may do in its database is not their doing.
    pub fn unopened<B: Far>(&self, place: &str) -> Unopened {
        self.unopened_as(self.word::<B>(place))
    }

    /// As [`unopened`](Broken::unopened), in other words.
    pub fn unopened_as(&self, detail: String) -> Unopened {
        let code = match self.kind {
            Breakage::NoDatabase => Code::StoreUnknown,
            Breakage::Unknown => Code::Unauthorized,
            Breakage::Forbidden => Code::Forbidden,
            Breakage::Unfit(code) => code,
            _ => Code::StoreUnavailable,
        };
        let may_pass = matches!(self.kind, Breakage::Lost | Breakage::Race | Breakage::Locked);
        Unopened { problem: Problem::new(code, detail), may_pass }
    }
}

/// The connections of a back end, one after another.
pub struct Link<B: Far> {
    address: Address<B>,
    /// Whose clock counts.
    pub clock: DatabaseClock,
    time: RegistryTime,
    opened: StoreTime,
    found: Found,
    /// Where the store is, for a person.
    pub place: String,
    /// The store that was opened.
    pub meta: Meta,
    allow_unsafe: bool,
    gone: Arc<Gone>,
    /// The connection, if there is one.
    pub client: Option<B::Client>,
    used: Instant,
    down: Option<Down>,
    connections: u64,
    denied: Option<Broken>,
}

impl<B: Far> Link<B> {
    /// To the store that was found there; not connected yet.
    pub fn new(
        address: Address<B>,
        place: String,
        meta: Meta,
        clock: DatabaseClock,
        allow_unsafe: bool,
    ) -> Link<B> {
        let zero = StoreTime::new(0);
        Link {
            address,
            time: RegistryTime::start(zero, &clock),
            clock,
            opened: zero,
            found: Found::of([0; 2], [zero; 3], 0),
            place,
            meta,
            allow_unsafe,
            gone: Arc::default(),
            client: None,
            used: Instant::now(),
            down: None,
            connections: 0,
            denied: None,
        }
    }

    /// Its time begins, after what it held when it was opened.
    pub fn begin(&mut self, found: Found) {
        self.found = found;
        self.time = RegistryTime::start(found.granted(), &self.clock);
        self.opened = self.clock.wall().max(found.granted());
    }

    /// The time now, with what an answer told.
    pub fn now(&mut self, told: Option<StoreTime>, longest: impl FnOnce() -> i64) -> StoreTime {
        told.inspect(|told| self.clock.learn(*told));
        clock::read(&mut self.time, &self.clock, B::CLOCK, longest)
    }

    /// What is constant of the open store.
    pub fn facts(&self) -> Facts {
        let Link { place, meta: Meta { store, .. }, opened: now, found, .. } = self;
        Facts { store: *store, place: place.clone(), now: *now, found: *found }
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
        if let Some(client) = &mut self.client {
            if !client.is_lost() {
                if self.used.elapsed() < IDLE {
                    return Ok(());
                }
                if let Ok(Ok(())) = timeout(B::CONNECTING, client.ping()).await {
                    self.used = Instant::now();
                    return Ok(());
                }
            }
            self.lose("it was closed");
        }
        if let Some(down) = self.down.as_ref().filter(|down| Instant::now() < down.next) {
            return Err(down.fault.clone());
        }
        let connected = timeout(B::CONNECTING, self.connect()).await;
        let connected = connected.unwrap_or_else(|_| Err(self.fault(&late(B::CONNECTING))));
        let (now, place) = (Instant::now(), &self.place);
        match connected {
            Ok(client) => {
                if let Some(down) = self.down.take() {
                    let (ms, tries) = (down.since.elapsed().as_millis(), down.tries + 1);
                    tracing::info!(place, after_ms = ms, tries, "connected again");
                }
                (self.client, self.used) = (Some(client), now);
                self.connections += 1;
                Ok(())
            }
            Err(fault) => {
                let down = self.down.take();
                let (since, tries) = down.map_or((now, 0), |down| (down.since, down.tries));
                let pause = pause(tries);
                let (why, ms, tries) = (&fault.detail, pause.as_millis(), tries + 1);
                tracing::warn!(place, tries, next_in_ms = ms, "not connected: {why}");
                self.down = Some(Down { since, tries, next: now + pause, fault: fault.clone() });
                Err(fault)
            }
        }
    }

    /// Has an exchange, which ends in time; a connection that it broke is not used again.
    ///
    /// # Errors
    /// What was said.
    pub async fn exchange<T>(
        &mut self,
        run: impl AsyncFnOnce(&mut B::Client) -> Result<T, Broken>,
    ) -> Result<T, Broken> {
        let Some(client) = &mut self.client else {
            return Err(Broken::lost(format!("there is no connection to {}", self.place)));
        };
        let limit = B::EXCHANGE;
        let done = timeout(limit, run(client)).await.unwrap_or_else(|_| {
            Err(Broken::lost(format!("{} did not answer within {limit:?}", B::Client::NAME)))
        });
        self.used = Instant::now();
        if let Err(broken) = &done {
            if broken.ends() {
                self.lose(&broken.detail);
            }
            self.denied = Some(broken.clone()).filter(Broken::is_denied);
        }
        done
    }

    /// As [`exchange`](Link::exchange), with the failure in words.
    ///
    /// # Errors
    /// What was said.
    pub async fn ask<T>(
        &mut self,
        run: impl AsyncFnOnce(&mut B::Client) -> Result<T, Broken>,
    ) -> Result<T, Fault> {
        self.exchange(run).await.map_err(|broken| self.failed(&broken))
    }

    /// What broke the last exchange, if that was not allowed.
    pub fn denied(&self) -> Option<&Broken> {
        self.denied.as_ref()
    }

    /// The connection is not used again; the next turn makes another at once.
    pub fn lose(&mut self, why: &str) {
        if self.client.take().is_some() {
            tracing::warn!(place = self.place, "the connection is lost, and made again: {why}");
            let (now, fault) = (Instant::now(), Fault { detail: why.to_owned() });
            self.down.get_or_insert(Down { since: now, tries: 0, next: now, fault });
        }
    }

    /// What broke an exchange, for a person.
    pub fn failed(&self, broken: &Broken) -> Fault {
        Fault { detail: format!("{} failed: {}", self.place, broken.detail) }
    }

    fn fault(&self, broken: &Broken) -> Fault {
        Fault { detail: broken.word::<B>(&self.place) }
    }

    async fn connect(&self) -> Result<B::Client, Fault> {
        let told = |broken: Broken| self.fault(&broken);
        let mut client = B::Client::connect(&self.address).await.map_err(told)?;
        client.examine(self.allow_unsafe).await.map_err(told)?;
        let of_ours = |meta: &Meta| (meta.store, meta.revision);
        match B::meta(&mut client, &self.place).await {
            Ok(Some(meta)) if of_ours(&meta) == of_ours(&self.meta) => {
                let known = of_this_version::<B>(meta, &self.place);
                known.map(|_| client).map_err(|problem| told(problem.into()))
            }
            Ok(Some(meta)) => Err(self.another(&hex(meta.store))),
            Ok(None) => Err(self.another("none")),
            Err(Broken { detail, kind: Breakage::Unfit(_) }) => Err(self.another(&detail)),
            Err(broken) => Err(told(broken)),
        }
    }

    /// Another store stands where ours was: nothing is granted until somebody has looked.
    pub fn another(&self, found: &str) -> Fault {
        let (place, store) = (&self.place, hex(self.meta.store));
        let detail = format!(
            "{place} was store {store} when this server started, and is now: {found}; nothing is granted \
             until a restart: find out which of the two was meant, and put the store back or, if it is \
             lost, make a new one: leafid init --replaces-lost --store {place}"
        );
        self.gone.set(Problem::new(Code::StoreChanged, detail.as_str()));
        Fault { detail }
    }
}

const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// Why nothing may be granted until a restart.
#[derive(Debug, Default)]
pub struct Gone(OnceLock<Problem>);

impl Gone {
    /// Notes it, and says it once.
    pub fn set(&self, problem: Problem) {
        let (code, detail) = (problem.code, problem.detail.clone());
        if self.0.set(problem).is_ok() {
            tracing::error!(%code, "{detail}");
        }
    }
}

impl Watch for Gone {
    fn gone(&self) -> Option<Problem> {
        self.0.get().cloned()
    }
}

/// Since when there is no connection, and how often one was tried.
struct Down {
    since: Instant,
    tries: u32,
    next: Instant,
    fault: Fault,
}

/// How long to wait after this many tries that failed: twice as long each time, and a bit more or
/// less, so that servers do not come back all at once.
pub(crate) fn pause(tries: u32) -> Duration {
    let longest = SHORTEST.saturating_mul(1 << tries.min(16)).min(LONGEST);
    let chance = random::bytes().map_or(0, |[byte]| u32::from(byte));
    longest.mul_f64(0.8 + 0.4 * f64::from(chance) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_grows_and_ends() {
        for tries in 0..64 {
            let pause = pause(tries);
            let base = SHORTEST.saturating_mul(1 << tries.min(16)).min(LONGEST);
            assert!(
                pause >= base.mul_f64(0.79) && pause <= base.mul_f64(1.21),
                "{tries}: {pause:?}"
            );
        }
    }
}
