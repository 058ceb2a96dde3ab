//! The connection to a database: made again when it is lost, with a pause that grows, and looked at
//! each time: behind the same name another database may stand now.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use leafid_core::{Code, Token};
use tokio::time::timeout;

use super::driver::{Breakage, Broken, CONNECTING, Driver, EXCHANGE};
use super::meta::{self, Made};
use super::open::{VERSION, other_version};
use crate::backends::{Fault, Watch};
use crate::problem::Problem;
use crate::random;

/// The pause after the first try that failed.
const SHORTEST: Duration = Duration::from_millis(100);
/// The longest pause between two tries.
const LONGEST: Duration = Duration::from_secs(5);
/// A connection that nobody used for so long is asked whether it still answers.
const IDLE: Duration = Duration::from_secs(15);

/// Why nothing may be granted until a restart.
#[derive(Debug, Default)]
pub struct Gone(OnceLock<Problem>);

impl Watch for Gone {
    fn gone(&self) -> Option<Problem> {
        self.0.get().cloned()
    }
}

/// What the connections of a back end have in common.
pub struct Link<D: Driver> {
    address: D::Address,
    place: String,
    store: Token,
    allow_unsafe: bool,
    gone: Arc<Gone>,
    driver: Option<D>,
    used: Instant,
    down: Option<Down>,
}

/// A database that was not reached.
struct Down {
    since: Instant,
    tries: u32,
    next: Instant,
    fault: Fault,
}

impl<D: Driver> Link<D> {
    /// To the database in which this store was found; not connected yet.
    pub fn new(address: D::Address, place: String, store: Token, allow_unsafe: bool) -> Link<D> {
        let (gone, used) = (Arc::default(), Instant::now());
        Link { address, place, store, allow_unsafe, gone, driver: None, used, down: None }
    }

    /// Whether another store was found by its name.
    pub fn gone(&self) -> Arc<Gone> {
        Arc::clone(&self.gone)
    }

    /// Makes sure that there is a connection, if it is time to try.
    pub async fn ready(&mut self) -> Result<(), Fault> {
        if let Some(driver) = &mut self.driver {
            if !driver.is_lost() {
                if self.used.elapsed() < IDLE {
                    return Ok(());
                }
                if let Ok(Ok(())) = timeout(CONNECTING, driver.ping()).await {
                    self.used = Instant::now();
                    return Ok(());
                }
            }
            self.lose("the connection was closed");
        }
        if let Some(down) = &self.down
            && Instant::now() < down.next
        {
            return Err(down.fault.clone());
        }
        match self.connect().await {
            Ok(driver) => {
                self.driver = Some(driver);
                self.used = Instant::now();
                if let Some(down) = self.down.take() {
                    let (place, ms) = (&self.place, down.since.elapsed().as_millis());
                    let tries = down.tries + 1;
                    tracing::info!(place, after_ms = ms, tries, "connected again");
                }
                Ok(())
            }
            Err(fault) => Err(self.failed(fault)),
        }
    }

    /// Has an exchange, which ends in time; a connection that it broke is not used again.
    pub async fn exchange<T>(
        &mut self,
        run: impl AsyncFnOnce(&mut D) -> Result<T, Broken>,
    ) -> Result<T, Broken> {
        let Some(driver) = &mut self.driver else {
            let detail = format!("there is no connection to {}", self.place);
            return Err(Broken { detail, kind: Breakage::Lost });
        };
        let done = timeout(EXCHANGE, run(driver)).await.unwrap_or_else(|_| {
            let detail = format!("{} did not answer within {EXCHANGE:?}", D::NAME);
            Err(Broken { detail, kind: Breakage::Lost })
        });
        self.used = Instant::now();
        if let Err(broken) = &done
            && matches!(broken.kind, Breakage::Lost | Breakage::Denied)
        {
            self.lose(&broken.detail);
        }
        done
    }

    /// The connection is not used again; the next turn makes another at once.
    pub fn lose(&mut self, why: &str) {
        if self.driver.take().is_some() {
            tracing::warn!(place = self.place, "the connection is lost, and made again: {why}");
            let (now, fault) = (Instant::now(), Fault { detail: why.to_owned() });
            self.down.get_or_insert(Down { since: now, tries: 0, next: now, fault });
        }
    }

    async fn connect(&self) -> Result<D, Fault> {
        let connecting = async {
            let mut driver =
                D::connect(&self.address).await.map_err(|broken| self.word(&broken))?;
            let examined = driver.examine(self.allow_unsafe).await;
            let problem = |problem: Problem| Fault { detail: problem.detail };
            examined.map_err(|broken| self.word(&broken))?.map_err(problem)?;
            let found = match meta::made(&mut driver).await.map_err(|broken| self.word(&broken))? {
                Made::Tables => {
                    meta::meta(&mut driver).await.map_err(|broken| self.word(&broken))?
                }
                Made::Not | Made::Foreign(_) => None,
            };
            match found {
                Some(meta) if meta.store == self.store && meta.version != VERSION => {
                    Err(Fault { detail: other_version(&self.place, meta.version).detail })
                }
                Some(meta) if meta.store == self.store => Ok(driver),
                Some(meta) => Err(self.another(&meta::hex(meta.store))),
                None => Err(self.another("none")),
            }
        };
        timeout(CONNECTING, connecting).await.unwrap_or_else(|_| {
            let (name, place) = (D::NAME, &self.place);
            let detail = format!("{name} at {place} did not answer within {CONNECTING:?}");
            Err(Fault { detail })
        })
    }

    fn word(&self, broken: &Broken) -> Fault {
        Fault { detail: unreachable::<D>(&self.place, broken) }
    }

    /// Another store stands where ours was: nothing is granted until somebody has looked.
    fn another(&self, found: &str) -> Fault {
        let detail = format!(
            "{} was store {} when this server started, and is store {found} now; nothing is granted \
             until a restart: find out which of the two was meant",
            self.place,
            meta::hex(self.store)
        );
        let problem = Problem::new(Code::StoreChanged, detail.clone());
        if self.gone.0.set(problem).is_ok() {
            tracing::error!(code = %Code::StoreChanged, "{detail}");
        }
        Fault { detail }
    }

    /// Notes a try that failed, and until when there is no other.
    fn failed(&mut self, fault: Fault) -> Fault {
        let now = Instant::now();
        let (since, tries) = self.down.as_ref().map_or((now, 0), |down| (down.since, down.tries));
        let pause = pause(tries);
        let (place, why, ms) = (&self.place, &fault.detail, pause.as_millis());
        tracing::warn!(place, tries = tries + 1, next_in_ms = ms, "not connected: {why}");
        self.down = Some(Down { since, tries: tries + 1, next: now + pause, fault: fault.clone() });
        fault
    }
}

/// How long to wait after so many tries that failed: twice as long each time, and a bit more or
/// less, so that servers do not come back all at once.
pub fn pause(tries: u32) -> Duration {
    let longest = SHORTEST.saturating_mul(1 << tries.min(16)).min(LONGEST);
    let chance = random::bytes().map_or(0, |[byte]| u32::from(byte));
    longest.mul_f64(0.8 + 0.4 * f64::from(chance) / 255.0)
}

/// Why a database cannot be used, for a person.
pub fn unreachable<D: Driver>(place: &str, broken: &Broken) -> String {
    let detail = &broken.detail;
    // How PostgreSQL and MySQL say that there is no such database.
    let missing = ["(3D000)", "(1049)"].iter().any(|code| detail.ends_with(code));
    match broken.kind {
        Breakage::Denied if missing => {
            let name = place.rsplit('/').next().unwrap_or("leafid");
            format!(
                "{place}: {detail}; if the name is right, make the database first: CREATE DATABASE \
                 {name}; see docs/STORES.md"
            )
        }
        Breakage::Denied => format!(
            "{place} does not let this server in: {detail}; give the user of that name its password \
             in the URL and the rights on the tables that docs/STORES.md names"
        ),
        _ => format!("{} at {place} cannot be reached: {detail}", D::NAME),
    }
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
