//! Back ends over a database that speaks SQL and lies across a network: what PostgreSQL and MySQL
//! have in common. Other servers use the same rows at the same time and know nothing of each other:
//! every writing carries the rows that it was decided on as its conditions.

mod driver;
mod meta;
mod rows;

use std::sync::Arc;
use std::time::Duration;

use leafid_core::{Code, StoreTime, Token};
use leafid_turn::sql::VERSION;

use super::clock::{self, DatabaseClock};
use super::far::{Far, Meta, Opened};
use super::link::{Breakage, Broken, Link};
use super::opening::{Found, NewStore, Unopened};
use super::{
    Abilities, Answer, BackEnd, Facts, Fault, Group, Outcome, Read, Standing, Want, Watch, Write,
    Written,
};
use crate::clock::{Clock, RegistryTime};
use crate::problem::Problem;
use crate::rate::Rate;
use leafid_turn::sql::gaps::gaps;
use leafid_turn::sql::{self, Query, Step, Texts, parted};

pub use driver::Driver;
use driver::{Applied, applied};
pub(crate) use driver::{Did, EXCHANGE, Ending, LOCKED_MS, STATEMENT_MS};
pub(crate) use leafid_turn::sql::text::{Style, Text};
pub(crate) use rows::Row;

const BEAT_MS: i64 = 3_600_000;

static ODD_STEPS: Rate = Rate::new();

/// A store in a database.
pub struct Remote<D: Driver> {
    link: Link<Remote<D>>,
    found: Found,
    now: StoreTime,
    clock: DatabaseClock,
    time: RegistryTime,
    /// The longest window of any namespace, in ms, as far as it is known.
    longest: u64,
    texts: Texts,
    beaten: StoreTime,
}

impl<D: Driver> Far for Remote<D> {
    type Client = D;

    const KEEPS: &'static str = "tables";
    const VERSION: i64 = VERSION;
    const NOTHING: &'static str = "has no tables";
    const OTHER: &'static str = "database";
    const CONNECTING: Duration = Duration::from_secs(3);
    const EXCHANGE: Duration = EXCHANGE;
    const EXAMINING_WRITES: bool = false;

    async fn meta(driver: &mut D, place: &str) -> Result<Result<Option<Meta>, Problem>, Broken> {
        meta::meta(driver, place).await
    }

    async fn told(driver: &mut D) -> Result<Option<StoreTime>, Broken> {
        meta::now(driver).await.map(Some)
    }

    async fn make(driver: &mut D, place: &str, new: &NewStore) -> Result<bool, Unopened> {
        meta::make(driver, place, new).await
    }

    fn greatest(address: &D::Address, _: &str, sql: &str) -> Result<Option<i64>, Problem> {
        D::greatest(address, sql)
    }

    fn rename(address: &D::Address, place: &str, id: Token) -> Result<(), Unopened> {
        meta::rename::<D>(address, place, id)
    }

    async fn fill(opened: Opened<Remote<D>>, believe: bool) -> Result<Remote<D>, Unopened> {
        let Opened { link, client: mut driver, created, clock } = opened;
        let texts = driver.texts();
        let found = meta::found(&mut driver, &link.meta, created).await;
        let told = |broken: Broken| broken.unopened::<Remote<D>>(&link.place);
        let (found, longest) = found.map_err(told)?;
        let latest = meta::check_clock(&mut driver, &clock, &link.meta, &found, believe).await?;
        let (time, now) = (RegistryTime::start(latest, &clock), clock.wall().max(latest));
        let beaten = link.meta.beat;
        Ok(Remote { link, found, now, clock, time, longest, texts, beaten })
    }
}

impl<D: Driver> Remote<D> {
    fn hear(&mut self, now_ms: Option<i64>) -> StoreTime {
        if let Some(now_ms) = now_ms {
            self.clock.learn(StoreTime::new(now_ms));
        }
        let longest = i64::try_from(self.longest).unwrap_or(i64::MAX);
        clock::read(&mut self.time, &self.clock, "the database's clock", || longest)
    }

    /// The lowest numbers without a row: one reading where `used_until` is right, more only after a
    /// range changed.
    async fn unused(&mut self, want: &Want, first: Vec<Row>) -> Result<Answer, Broken> {
        let Want::Unused { namespace, from, end, count } = *want else {
            return Ok(Answer::Unused(Vec::new()));
        };
        let (mut next, mut found, mut rows) = (from, Vec::new(), first);
        loop {
            let used: Vec<u64> = rows.iter().map(|row| row.number(0)).collect::<Result<_, _>>()?;
            if gaps(&used, &mut next, end, count, &mut found) {
                return Ok(Answer::Unused(found));
            }
            let asked = [self.texts.query(&Want::Unused { namespace, from: next, end, count })];
            let read = self.link.exchange(async |driver: &mut D| driver.read(&asked).await);
            rows = read.await?.pop().unwrap_or_default();
        }
    }

    async fn look(&mut self, wants: &[Want]) -> Result<Read, Broken> {
        let mut asked: Vec<Query> = wants.iter().map(|want| self.texts.query(want)).collect();
        asked.push(Query::new(self.texts.text("meta/now"), |_| {}));
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
                _ => gathered(want, &self.texts.query(want), &found),
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
        let texts = self.texts;
        let of_group = |group: &Group| group.iter().flat_map(|write| texts.steps(write)).collect();
        let mut steps: Vec<Vec<Step>> = groups.iter().map(of_group).collect();
        let beats = self.hear(None).since(self.beaten).saturating_abs() >= BEAT_MS;
        if beats && !groups.is_empty() {
            // Numbers of tags are leased without a time: the next start shall know one all the same.
            steps.push(texts.steps(&Write::Beat(self.hear(None))));
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

fn gathered(want: &Want, asked: &Query, rows: &[Row]) -> Answer {
    if let (Want::Tag(tag), Some(step)) = (want, rows.iter().find_map(parted::odd_step))
        && let Some(left_out) = ODD_STEPS.admit(Code::StepInvalid)
    {
        let code = Code::StepInvalid;
        tracing::warn!(%code, left_out, "tag `{tag}` has `step` {step} in `leaf_alloc`, and counts as one of 0");
    }
    sql::answered(want, asked, rows)
}

struct Tried {
    outcomes: Vec<Applied>,
    now_ms: Option<i64>,
}

impl<D: Driver> BackEnd for Remote<D> {
    fn facts(&self) -> Facts {
        self.link.facts(self.now, self.found)
    }

    fn watch(&self) -> Arc<dyn Watch> {
        self.link.gone()
    }

    fn abilities(&self) -> Abilities {
        Abilities { at_once: D::AT_ONCE, keeps_tags: !self.texts.leaf, ..Abilities::remote() }
    }

    fn connection(&self) -> u64 {
        self.link.connection()
    }

    async fn standing(&mut self) -> Result<Standing, Fault> {
        let asked = [self.texts.query(&Want::Fenced)];
        let stands = self.link.ask(async |driver: &mut D| {
            let rows = driver.read(&asked).await?.pop().unwrap_or_default();
            let Answer::Fenced(fenced) = gathered(&Want::Fenced, &asked[0], &rows) else {
                return Err(Broken::refused("no row says when it was fenced"));
            };
            Ok(Standing { fenced, ..driver.named().await? })
        });
        stands.await
    }

    async fn begin(&mut self) -> Result<Option<StoreTime>, Fault> {
        self.link.ready().await?;
        // Between two answers the time goes on by itself.
        Ok(Some(self.hear(None)))
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Read, Fault> {
        self.look(wants).await.map_err(|broken| self.link.failed(&broken))
    }

    async fn write(&mut self, groups: &[Group]) -> Result<Written, Fault> {
        let done = match self.tried(groups).await {
            // Somebody keeps a row locked: who does not want that one goes on.
            Err(broken) if broken.kind == Breakage::Locked && groups.len() > 1 => {
                self.each(groups).await
            }
            done => done.map(|tried| tried.outcomes(groups.len())),
        };
        let outcomes = done.or_else(|broken| match broken.kind {
            Breakage::Locked => Ok(vec![Outcome::Locked(self.link.failed(&broken)); groups.len()]),
            _ => Err(self.link.failed(&broken)),
        })?;
        Ok(Written { now: self.hear(None), outcomes })
    }
}

impl<D: Driver> Remote<D> {
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

    async fn each(&mut self, groups: &[Group]) -> Result<Vec<Outcome>, Broken> {
        let mut outcomes = Vec::new();
        for group in groups {
            match self.tried(std::slice::from_ref(group)).await {
                Ok(tried) => outcomes.extend(tried.outcomes(1)),
                Err(broken) if broken.kind == Breakage::Locked => {
                    outcomes.push(Outcome::Locked(self.link.failed(&broken)));
                }
                // Those before are written, and known to be.
                Err(broken) => {
                    let failed = Outcome::Failed(self.link.failed(&broken));
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

/// Judges a server by what its `meta/settings` found: whether it cannot be a store, and by which settings a
/// crash forgets what was answered, which is refused or warned of. A server that does not say is no store.
pub(crate) fn judge(
    place: &str,
    found: &[Row],
    allow_unsafe: bool,
) -> Result<Result<(), Problem>, Broken> {
    let row = Row::only(found)?;
    if let Some(why) = row.said(0)? {
        return Ok(Err(Problem::new(Code::StoreRefused, format!("{place} {why}"))));
    }
    let Some(setting) = row.said(1)? else { return Ok(Ok(())) };
    let cure = row.text(2)?;
    let loses = "a crash forgets what was answered last: the same numbers would be granted again";
    if allow_unsafe {
        tracing::warn!(place, setting, "let pass by --allow-unsafe-settings: {loses}");
        return Ok(Ok(()));
    }
    let detail = format!(
        "{place} has {setting}, and {loses}; {cure}, or, if that loss is to be accepted, start with \
         --allow-unsafe-settings"
    );
    Ok(Err(Problem::new(Code::StoreRefused, detail)))
}

#[cfg(test)]
mod tests {
    use leafid_turn::sql::columns::Value;

    use super::*;

    #[test]
    fn a_server_is_no_store_before_it_says_how_it_is_set() {
        let text = |said: &'static str| Value::Text(said.into());
        let judged = |found: &[[Value<'static>; 3]], allow_unsafe| {
            let row = |values: &[_; 3]| Row::new(Arc::from([]), values.to_vec());
            judge("here", &found.iter().map(row).collect::<Vec<_>>(), allow_unsafe)
        };
        let null = || Value::Null;
        let risk = [null(), text("fsync = off"), text("set it on")];
        assert!(judged(&[[null(), null(), text("set it on")]], false).unwrap().is_ok());
        assert!(judged(std::slice::from_ref(&risk), false).unwrap().is_err());
        assert!(judged(&[risk], true).unwrap().is_ok());
        assert!(judged(&[[text("is a replica"), null(), null()]], true).unwrap().is_err());
        for odd in [Value::Int(0), Value::Token(Token::new([0; 16]))] {
            assert!(judged(&[[odd.clone(), null(), null()]], true).is_err());
            assert!(judged(&[[null(), odd, null()]], true).is_err());
        }
        assert!(judged(&[], true).is_err());
    }
}
