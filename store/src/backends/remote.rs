//! Back ends over a database that speaks SQL and lies across a network: what PostgreSQL and MySQL
//! have in common. Other servers use the same rows at the same time and know nothing of each other:
//! every writing carries the rows that it was decided on as its conditions.

mod about;
mod applied;
pub mod driver;
mod link;
mod meta;
pub mod open;
mod rows;
mod text;

use std::sync::Arc;

use leafid_core::StoreTime;

use super::clock::DatabaseClock;
use super::opening::{Found, Options, Terms, Unopened, words};
use super::sql::{self, Query, Step, parted};
use super::{
    Abilities, Answer, BackEnd, Facts, Fault, Group, Outcome, Read, Standing, Want, Watch, Write,
    Written,
};
use crate::clock::{Clock, RegistryTime};
use crate::problem::Problem;

use applied::{Applied, applied};
use link::Link;
use meta::Meta;
use rows::gaps;

pub use about::{About, LEAF, MYSQL, POSTGRES, query};
pub use applied::query as of_step;
pub use driver::{Breakage, Broken, Did, Driver, EXCHANGE, Ending, LOCKED_MS, Named, STATEMENT_MS};
pub use rows::Row;
pub use text::{Style, Text};

/// How often the store's time is written along with something else.
const BEAT_MS: i64 = 3_600_000;

/// A store in a database.
pub struct Remote<D: Driver> {
    link: Link<D>,
    place: String,
    meta: Meta,
    found: Found,
    now: StoreTime,
    clock: DatabaseClock,
    time: RegistryTime,
    /// The longest window of any namespace, in ms, as far as it is known.
    longest: u64,
    /// When the store's time was written last.
    beaten: StoreTime,
}

impl<D: Driver> Remote<D> {
    /// Opens the store in a database, or makes it where the options say so.
    ///
    /// # Errors
    /// As [`open::open`].
    pub fn open(
        address: &D::Address,
        place: &str,
        ticks: Arc<dyn Clock>,
        terms: &Terms,
    ) -> Result<Remote<D>, Unopened> {
        open::open(address, place, ticks, terms)
    }

    /// Makes a store where none is.
    ///
    /// # Errors
    /// `STORE_REFUSED` if one is there, with what is in it; else as [`Remote::open`].
    pub fn create(
        address: &D::Address,
        place: &str,
        ticks: Arc<dyn Clock>,
        terms: &Terms,
    ) -> Result<Remote<D>, Unopened> {
        let options = Options { create: true, ..terms.options };
        let opened = Remote::open(address, place, ticks, &Terms { options, ..terms.clone() })?;
        match opened.found.created {
            true => Ok(opened),
            false => Err(words::exists(place, opened.meta.store, &opened.found, "database").into()),
        }
    }

    /// The store's time, after the database said its own.
    fn hear(&mut self, now_ms: Option<i64>) -> StoreTime {
        if let Some(now_ms) = now_ms {
            self.clock.learn(StoreTime::new(now_ms));
        }
        let longest = i64::try_from(self.longest).unwrap_or(i64::MAX);
        let (now, leap) = self.time.read(&self.clock, || longest);
        if let Some(leap) = leap {
            tracing::warn!(
                by_ms = leap.by_ms,
                "the database's clock jumped forward; it is not believed for one max_window"
            );
        }
        now
    }

    /// The lowest numbers without a row: one reading where `used_until` is right, more only after a
    /// range changed.
    async fn unused(&mut self, want: &Want, first: Vec<Row>) -> Result<Answer, Broken> {
        let Want::Unused { namespace, from, end, count } = *want else {
            return Ok(Answer::Unused(Vec::new()));
        };
        let (mut next, mut found, mut rows) = (from, Vec::new(), first);
        while !gaps(&rows, &mut next, end, count, &mut found).map_err(meta::odd)? {
            let asked = D::TEXTS.query(&Want::Unused { namespace, from: next, end, count });
            rows =
                self.link.exchange(async |driver: &mut D| meta::ask(driver, asked).await).await?;
        }
        Ok(Answer::Unused(found))
    }

    async fn look(&mut self, wants: &[Want]) -> Result<Read, Broken> {
        let mut asked: Vec<Query> = wants.iter().map(|want| D::TEXTS.query(want)).collect();
        asked.push(query(D::ABOUT.now, |_| {}));
        let mut read = Vec::with_capacity(asked.len());
        for some in asked.chunks(D::TOGETHER) {
            read.extend(self.link.exchange(async |driver: &mut D| driver.read(some).await).await?);
        }
        let now = read.pop().unwrap_or_default();
        let now = now.first().and_then(|row| row.int(0).ok());
        let mut answers = Vec::with_capacity(wants.len());
        for (want, found) in wants.iter().zip(read) {
            answers.push(match want {
                Want::Unused { .. } => self.unused(want, found).await?,
                _ => gathered(want, &D::TEXTS.query(want), &found),
            });
        }
        Ok(Read { now: self.hear(now), answers })
    }

    /// Writes all groups in one transaction. One that is not written whole undoes it, and a new one
    /// goes without it.
    async fn apply(&mut self, groups: &[Vec<Step>]) -> Result<Tried, Broken> {
        let mut tried = Tried { outcomes: vec![Applied::Whole; groups.len()], now_ms: None };
        loop {
            let open: Vec<usize> = (0..groups.len())
                .filter(|at| tried.outcomes.get(*at) == Some(&Applied::Whole))
                .collect();
            let steps: Vec<&[Step]> =
                open.iter().filter_map(|at| groups.get(*at).map(Vec::as_slice)).collect();
            let single = steps.iter().all(|steps| steps.len() == 1);
            let ending = match (steps.len(), single) {
                (0, _) => return Ok(tried),
                (1, true) => Ending::Alone,
                // A statement is whole by itself, so nothing has to be looked at before.
                (_, true) => Ending::Committed,
                _ => Ending::Open,
            };
            let did = self
                .link
                .exchange(async |driver: &mut D| driver.write(&steps, ending).await)
                .await?;
            let mut half = false;
            for ((at, steps), did) in open.iter().zip(&steps).zip(&did) {
                let applied = applied(steps, did);
                half |= applied == Applied::Half;
                if let Some(outcome) = tried.outcomes.get_mut(*at) {
                    *outcome = applied;
                }
                tried.now_ms = did.iter().filter_map(|did| did.now_ms).next_back().or(tried.now_ms);
            }
            if ending != Ending::Open {
                return Ok(tried);
            }
            if !half {
                self.link.exchange(async |driver: &mut D| driver.commit().await).await?;
                return Ok(tried);
            }
            self.link.exchange(async |driver: &mut D| driver.rollback().await).await?;
        }
    }

    async fn commit(&mut self, groups: &[Group]) -> Result<Tried, Broken> {
        let mut steps: Vec<Vec<Step>> = groups.iter().map(|group| of_group::<D>(group)).collect();
        let beats = self.hear(None).since(self.beaten).saturating_abs() >= BEAT_MS;
        if beats && !groups.is_empty() {
            // Numbers of tags are leased without a time: the next start shall know one all the same.
            let beat = vec![Write::Beat(self.hear(None))];
            steps.push(of_group::<D>(&beat));
        }
        for write in groups.iter().flatten() {
            if let Write::Namespace { after, .. } = write {
                self.longest = self.longest.max(after.namespace.max_window_ms.into());
            }
        }
        let mut tried = self.apply(&steps).await?;
        if steps.len() > groups.len() {
            tried.outcomes.truncate(groups.len());
            self.beaten = self.hear(tried.now_ms);
        }
        Ok(tried)
    }
}

/// The statements that write a group, what is only looked at first.
fn of_group<D: Driver>(group: &Group) -> Vec<Step> {
    group.iter().flat_map(|write| D::TEXTS.steps(write)).collect()
}

/// What was found.
fn gathered(want: &Want, asked: &Query, rows: &[Row]) -> Answer {
    let mut answer = sql::empty(want);
    for row in rows {
        if let Err(refusal) = sql::gather(&mut answer, row) {
            return Answer::Unreadable(sql::unreadable(asked, refusal.code));
        }
        if let Want::Tag(tag) = want {
            answer = parted::judged(tag, answer, row);
        }
    }
    answer
}

/// What became of groups.
struct Tried {
    outcomes: Vec<Applied>,
    now_ms: Option<i64>,
}

impl<D: Driver> BackEnd for Remote<D> {
    fn facts(&self) -> Facts {
        Facts {
            store: self.meta.store,
            place: self.place.clone(),
            floor: self.meta.floor,
            now: self.now,
            found: self.found,
        }
    }

    fn watch(&self) -> Arc<dyn Watch> {
        self.link.gone()
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            at_once: D::AT_ONCE,
            keeps_tags: D::TEXTS.parted.is_none(),
            ..Abilities::remote()
        }
    }

    fn connection(&self) -> u64 {
        self.link.connection()
    }

    async fn standing(&mut self) -> Result<Standing, Fault> {
        let stands = self.link.exchange(async |driver: &mut D| {
            let rows = meta::ask(driver, D::TEXTS.query(&Want::Fenced)).await?;
            let asked = D::TEXTS.query(&Want::Fenced);
            let fenced = match gathered(&Want::Fenced, &asked, &rows) {
                Answer::Fenced(fenced) => fenced,
                _ => return Err(meta::odd(rows::Odd("no row says when it was fenced".to_owned()))),
            };
            let Named { database, position } = driver.named().await?;
            Ok(Standing { fenced, database, position })
        });
        stands.await.map_err(|broken| failed(&self.place, &broken))
    }

    async fn begin(&mut self) -> Result<Option<StoreTime>, Fault> {
        self.link.ready().await?;
        // Between two answers the time goes on by itself.
        Ok(Some(self.hear(None)))
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Read, Fault> {
        self.look(wants).await.map_err(|broken| failed(&self.place, &broken))
    }

    async fn write(&mut self, groups: &[Group]) -> Result<Written, Fault> {
        let done = match self.tried(groups).await {
            // Somebody keeps a row locked: who does not want that one goes on.
            Err(broken) if broken.kind == Breakage::Locked && groups.len() > 1 => {
                self.each(groups).await
            }
            done => done.map(|tried| tried.outcomes(groups.len())),
        };
        let place = &self.place;
        let outcomes = done.or_else(|broken| match broken.kind {
            Breakage::Locked => Ok(vec![Outcome::Locked(failed(place, &broken)); groups.len()]),
            _ => Err(failed(place, &broken)),
        })?;
        Ok(Written { now: self.hear(None), outcomes })
    }
}

impl<D: Driver> Remote<D> {
    /// Writes groups; of a transaction that failed nothing is left.
    async fn tried(&mut self, groups: &[Group]) -> Result<Tried, Broken> {
        if groups.is_empty() {
            return Ok(Tried { outcomes: Vec::new(), now_ms: None });
        }
        let broken = match self.commit(groups).await {
            Ok(tried) => {
                self.hear(tried.now_ms);
                return Ok(tried);
            }
            Err(broken) => broken,
        };
        // Undone already, but for what the client has to be told of.
        let undone = self.link.exchange(async |driver: &mut D| driver.rollback().await);
        if undone.await.is_err() {
            self.link.lose(&broken.detail);
        }
        match broken.kind {
            Breakage::Race => {
                Ok(Tried { outcomes: vec![Applied::Not; groups.len()], now_ms: None })
            }
            _ => Err(broken),
        }
    }

    /// Writes each group in a transaction of its own.
    async fn each(&mut self, groups: &[Group]) -> Result<Vec<Outcome>, Broken> {
        let mut outcomes = Vec::new();
        for group in groups {
            match self.tried(std::slice::from_ref(group)).await {
                Ok(tried) => outcomes.extend(tried.outcomes(1)),
                Err(broken) if broken.kind == Breakage::Locked => {
                    outcomes.push(Outcome::Locked(failed(&self.place, &broken)));
                }
                // Those before are written, and known to be.
                Err(broken) => {
                    let failed = Outcome::Failed(failed(&self.place, &broken));
                    outcomes.resize(groups.len(), failed);
                    return Ok(outcomes);
                }
            }
        }
        Ok(outcomes)
    }
}

impl Tried {
    fn outcomes(&self, count: usize) -> Vec<Outcome> {
        let outcomes = self.outcomes.iter().take(count).map(|applied| match applied {
            Applied::Whole => Outcome::Done(Vec::new()),
            Applied::Half | Applied::Not => Outcome::Conflict,
        });
        outcomes.collect()
    }
}

fn failed(place: &str, broken: &Broken) -> Fault {
    Fault { detail: format!("{place} failed: {}", broken.detail) }
}

/// Refuses a setting, by its name.
pub fn refused(place: &str, setting: &str, loses: &str, cure: &str) -> Problem {
    let detail = format!(
        "{place} has {setting}, and {loses}; {cure}, or, if that loss is to be accepted, start with \
         --allow-unsafe-settings"
    );
    Problem::new(leafid_core::Code::StoreRefused, detail)
}
