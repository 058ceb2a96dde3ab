//! The connection to a database across a network, with reconnects after growing pauses. Each new connection
//! is examined again: by the same name there may be another store now.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use leafid_core::{Code, StoreTime};
use tokio::time::timeout;

use super::clock::StoreClock;
use super::far::{Address, Client, Far, Meta, late, of_this_version};
use super::opening::{Found, Unopened};
use super::{Abilities, Facts, Watch};
use crate::problem::Problem;
use crate::random;
use leafid_turn::hex;
pub use leafid_turn::sql::errors::Kind;

/// How long a connection may be idle before it is pinged.
const IDLE: Duration = Duration::from_secs(15);

/// Why an exchange failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The words of the database or the client, which never have a password.
    pub detail: String,
    /// The consequence.
    pub kind: Breakage,
}

/// The consequence of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breakage {
    /// The database's own code says it, or there was no answer.
    Of(Kind),
    /// The database refused; the whole transaction was rolled back, and the connection remains usable.
    Refused,
    /// TLS failed: the server is not trusted, or it does not trust us.
    Untrusted,
    /// The database cannot keep a store: its version, its settings, or another program's data.
    Unfit(Code),
}

impl From<Problem> for Broken {
    fn from(Problem { code, detail, .. }: Problem) -> Broken {
        Broken { detail, kind: Breakage::Unfit(code) }
    }
}

impl Broken {
    /// Makes an error from its words and consequence.
    pub fn new(detail: impl Into<String>, kind: Breakage) -> Broken {
        Broken { detail: detail.into(), kind }
    }

    /// Makes the error for a lost connection or a missing answer.
    pub fn lost(detail: impl Into<String>) -> Broken {
        Broken::new(detail, Breakage::Of(Kind::Lost))
    }

    /// Makes the error for a refusal of the database.
    pub fn refused(detail: impl Into<String>) -> Broken {
        Broken::new(detail, Breakage::Refused)
    }

    /// Whether the database denies access, so that no other member and no later try will help.
    pub fn is_denied(&self) -> bool {
        matches!(self.kind, Breakage::Of(Kind::Nowhere | Kind::Login | Kind::Denied))
    }

    fn ends(&self) -> bool {
        self.is_denied() || matches!(self.kind, Breakage::Of(Kind::Lost) | Breakage::Untrusted)
    }

    fn word<B: Far>(&self, place: &str) -> String {
        let (name, detail) = (B::Client::NAME, &self.detail);
        match self.kind {
            Breakage::Of(Kind::Nowhere) => {
                let name = place.rsplit('/').next().unwrap_or("leafid");
                let name = name.split('?').next().unwrap_or(name);
                format!(
                    "{place}: {detail}; if the name is right, make the database first: CREATE DATABASE \
                     {name}; see docs/STORES.md"
                )
            }
            Breakage::Of(Kind::Login | Kind::Denied) => format!(
                "{place} does not let this server in: {detail}; give the user of that name its password in \
                 the URL, as USER:PASSWORD@ before the host, and the rights that docs/STORES.md names"
            ),
            Breakage::Untrusted => format!("no TLS to {name} at {place}: {detail}"),
            Breakage::Unfit(_) => detail.clone(),
            _ => format!("{name} at {place} cannot be reached: {detail}"),
        }
    }

    /// Turns the error into why a store was not opened. Callers of a running server get
    /// `STORE_UNAVAILABLE` instead: its rights in the database are not theirs to mend.
    pub fn unopened<B: Far>(&self, place: &str) -> Unopened {
        self.unopened_as(self.word::<B>(place))
    }

    /// As [`unopened`](Broken::unopened), with another message.
    pub fn unopened_as(&self, detail: String) -> Unopened {
        let code = match self.kind {
            Breakage::Of(Kind::Nowhere) => Code::StoreUnknown,
            Breakage::Of(Kind::Login) => Code::Unauthorized,
            Breakage::Of(Kind::Denied) => Code::Forbidden,
            Breakage::Unfit(code) => code,
            _ => Code::StoreUnavailable,
        };
        let may_pass = matches!(self.kind, Breakage::Of(Kind::Lost | Kind::Race | Kind::Locked));
        Unopened { problem: Problem::new(code, detail), may_pass }
    }
}

/// The connections of a back end, one after another.
pub struct Link<B: Far> {
    address: Address<B>,
    /// The facts of the store.
    pub facts: Facts,
    /// The row of the store that was opened.
    pub meta: Meta,
    allow_unsafe: bool,
    gone: Arc<Gone>,
    /// The connection, if there is one.
    pub client: Option<B::Client>,
    used: Instant,
    down: Option<Down>,
    /// How many connections were made, not counting the one that opened the store.
    pub connections: u64,
    denied: Option<Broken>,
}

impl<B: Far> Link<B> {
    /// Makes a link, not yet connected, to the store that was found.
    pub fn new(
        address: Address<B>,
        place: String,
        meta: Meta,
        clock: StoreClock,
        allow_unsafe: bool,
    ) -> Link<B> {
        let (zero, gone) = (StoreTime::new(0), Arc::<Gone>::default());
        let facts = Facts {
            store: meta.store,
            place,
            found: Found::of([0; 3], [zero; 3]),
            clock,
            watch: Arc::<Gone>::clone(&gone),
            abilities: Abilities::REMOTE,
        };
        Link {
            address,
            facts,
            meta,
            allow_unsafe,
            gone,
            client: None,
            used: Instant::now(),
            down: None,
            connections: 0,
            denied: None,
        }
    }

    /// Makes sure that there is a connection: connects if the pause after the last try is over.
    ///
    /// # Errors
    /// If there is no connection.
    pub async fn ready(&mut self) -> Result<(), Problem> {
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
        let (now, place) = (Instant::now(), &self.facts.place);
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

    /// Runs an exchange with a time-out, and drops a connection that it broke.
    ///
    /// # Errors
    /// The failure of the exchange.
    pub async fn exchange<T>(
        &mut self,
        run: impl AsyncFnOnce(&mut B::Client) -> Result<T, Broken>,
    ) -> Result<T, Broken> {
        let Some(client) = &mut self.client else {
            return Err(Broken::lost(format!("there is no connection to {}", self.facts.place)));
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

    /// As [`exchange`](Link::exchange), with the failure as a [`Problem`].
    ///
    /// # Errors
    /// The failure of the exchange, in words.
    pub async fn ask<T>(
        &mut self,
        run: impl AsyncFnOnce(&mut B::Client) -> Result<T, Broken>,
    ) -> Result<T, Problem> {
        self.exchange(run).await.map_err(|broken| self.failed(&broken))
    }

    /// The failure of the last exchange, if access was denied.
    pub fn denied(&self) -> Option<&Broken> {
        self.denied.as_ref()
    }

    /// Drops the connection; the next turn makes another at once.
    pub fn lose(&mut self, why: &str) {
        if self.client.take().is_some() {
            tracing::warn!(
                place = self.facts.place,
                "the connection is lost, and made again: {why}"
            );
            let (now, fault) = (Instant::now(), Problem::unavailable(why.to_owned()));
            self.down.get_or_insert(Down { since: now, tries: 0, next: now, fault });
        }
    }

    /// Describes the failure of an exchange.
    pub fn failed(&self, broken: &Broken) -> Problem {
        Problem::unavailable(format!("{} failed: {}", self.facts.place, broken.detail))
    }

    fn fault(&self, broken: &Broken) -> Problem {
        Problem::unavailable(broken.word::<B>(&self.facts.place))
    }

    async fn connect(&self) -> Result<B::Client, Problem> {
        let told = |broken: Broken| self.fault(&broken);
        let mut client = B::Client::connect(&self.address).await.map_err(told)?;
        let place = &self.facts.place;
        client.examine(place, self.allow_unsafe).await.map_err(told)?;
        let of_ours = |meta: &Meta| (meta.store, meta.revision);
        match B::meta(&mut client, place).await {
            Ok(Some(meta)) if of_ours(&meta) == of_ours(&self.meta) => {
                let known = of_this_version::<B>(meta, place);
                known.map(|_| client).map_err(|problem| told(problem.into()))
            }
            Ok(Some(meta)) => Err(self.another(&hex(meta.store))),
            Ok(None) => Err(self.another("none")),
            Err(Broken { detail, kind: Breakage::Unfit(_) }) => Err(self.another(&detail)),
            Err(broken) => Err(told(broken)),
        }
    }

    /// Notes that another store is in the place of ours: nothing is granted until a restart.
    pub fn another(&self, found: &str) -> Problem {
        let (place, store) = (&self.facts.place, hex(self.meta.store));
        let detail = format!(
            "{place} was store {store} when this server started, and is now: {found}; nothing is granted \
             until a restart: find out which of the two was meant, and put the store back or, if it is \
             lost, make a new one: leafid init --replaces-lost --store {place}"
        );
        self.gone.set(Problem::new(Code::StoreChanged, detail.as_str()));
        Problem::unavailable(detail)
    }
}

const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// Why nothing may be granted until a restart.
#[derive(Debug, Default)]
pub struct Gone(OnceLock<Problem>);

impl Gone {
    /// Notes the reason, and logs it once.
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

/// How long there has been no connection, and the tries since.
struct Down {
    since: Instant,
    tries: u32,
    next: Instant,
    fault: Problem,
}

/// The pause after this many failed tries: doubled each time, with random jitter so that servers do not
/// reconnect all at once.
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
