//! The connection to a database: made again when it is lost, with a pause that grows, and looked at
//! each time: behind the same name another database may stand now.

use std::sync::Arc;
use std::time::{Duration, Instant};

use leafid_core::{Code, Token};
use tokio::time::timeout;

use super::driver::{Breakage, Broken, CONNECTING, Driver, EXCHANGE};
use super::meta::{self, Made};
use crate::backends::Fault;
use crate::backends::reconnect::{Gone, Tries};
use crate::hex::hex;
use crate::problem::Problem;

/// A connection that nobody used for this long is asked whether it still answers.
const IDLE: Duration = Duration::from_secs(15);

/// What the connections of a back end have in common.
pub struct Link<D: Driver> {
    address: D::Address,
    place: String,
    store: Token,
    allow_unsafe: bool,
    gone: Arc<Gone>,
    driver: Option<D>,
    used: Instant,
    tries: Tries,
    connections: u64,
}

impl<D: Driver> Link<D> {
    /// To the database in which this store was found; not connected yet.
    pub fn new(address: D::Address, place: String, store: Token, allow_unsafe: bool) -> Link<D> {
        let (gone, used) = (Arc::default(), Instant::now());
        Link {
            address,
            place,
            store,
            allow_unsafe,
            gone,
            driver: None,
            used,
            tries: Tries::default(),
            connections: 0,
        }
    }

    /// Whether another store was found by its name.
    pub fn gone(&self) -> Arc<Gone> {
        Arc::clone(&self.gone)
    }

    /// How many connections were made.
    pub fn connection(&self) -> u64 {
        self.connections
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
        self.tries.due()?;
        match self.connect().await {
            Ok(driver) => {
                self.driver = Some(driver);
                self.connections += 1;
                self.used = Instant::now();
                self.tries.done(&self.place);
                Ok(())
            }
            Err(fault) => Err(self.tries.failed(&self.place, fault)),
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
            && matches!(broken.kind, Breakage::Lost | Breakage::Denied | Breakage::Untrusted)
        {
            self.lose(&broken.detail);
        }
        done
    }

    /// The connection is not used again; the next turn makes another at once.
    pub fn lose(&mut self, why: &str) {
        if self.driver.take().is_some() {
            self.tries.lost(&self.place, why);
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
                Some(meta) if meta.store == self.store => {
                    meta.of_this_version(&self.place).map_err(problem).map(|_| driver)
                }
                Some(meta) => Err(self.another(&hex(meta.store))),
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
            hex(self.store)
        );
        self.gone.set(Problem::new(Code::StoreChanged, detail.clone()));
        Fault { detail }
    }
}

/// Why a database cannot be used, for a person.
pub fn unreachable<D: Driver>(place: &str, broken: &Broken) -> String {
    let detail = &broken.detail;
    match broken.kind {
        Breakage::Denied if says(broken, NO_DATABASE) => {
            let name = place.rsplit('/').next().unwrap_or("leafid");
            let name = name.split('?').next().unwrap_or(name);
            format!(
                "{place}: {detail}; if the name is right, make the database first: CREATE DATABASE \
                 {name}; see docs/STORES.md"
            )
        }
        Breakage::Denied => format!(
            "{place} does not let this server in: {detail}; give the user of that name its password \
             in the URL and the rights on the tables that docs/STORES.md names"
        ),
        Breakage::Untrusted => format!("no TLS to {} at {place}: {detail}", D::NAME),
        _ => format!("{} at {place} cannot be reached: {detail}", D::NAME),
    }
}

/// How PostgreSQL and MySQL say that there is no such database, and that they do not know who asks.
const NO_DATABASE: &[&str] = &["(3D000)", "(1049)"];
const NO_LOGIN: &[&str] = &["(28P01)", "(28000)", "(1045)", "(1130)", "(1698)", "(3118)"];

fn says(broken: &Broken, codes: &[&str]) -> bool {
    codes.iter().any(|code| broken.detail.ends_with(code))
}

/// The code of a store that could not be opened. Callers of a server that runs already hear
/// `STORE_UNAVAILABLE` instead: what it may do in its database is not their doing.
pub fn unopened_code(broken: &Broken) -> Code {
    match broken.kind {
        Breakage::Denied if says(broken, NO_DATABASE) => Code::StoreUnknown,
        Breakage::Denied if says(broken, NO_LOGIN) => Code::Unauthorized,
        Breakage::Denied => Code::Forbidden,
        _ => Code::StoreUnavailable,
    }
}
