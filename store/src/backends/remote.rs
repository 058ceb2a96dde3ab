//! The common part of PostgreSQL and MySQL: a back end over an SQL database across a network. Other servers
//! use the same rows at the same time without knowing of each other, so every write has the rows that it
//! was decided on as its conditions.

mod driver;
mod meta;
mod rows;

use std::time::Duration;

use leafid_core::{Code, StoreTime};
use leafid_turn::sql::VERSION;

use super::far::{Far, Meta};
use super::link::{Breakage, Broken, Kind, Link};
use super::opening::{Found, NewStore, Unopened};
use super::{Abilities, Answer, BackEnd, Facts, Group, Outcome, Read, Standing, Want, Written};
use crate::problem::Problem;
use crate::rate::Rate;
use leafid_turn::sql::gaps::Reading;
use leafid_turn::sql::{self, Query, Step, leaf};

pub use driver::Driver;
use driver::{Applied, applied};
pub(crate) use driver::{Did, EXCHANGE, Ending, LOCKED_MS, STATEMENT_MS};
pub use meta::rename;
pub(crate) use rows::Row;

static ODD_STEPS: Rate = Rate::new();

/// A store in a database.
pub struct Remote<D: Driver> {
    link: Link<Remote<D>>,
    /// Whether Leaf's own table keeps the tags.
    leaf: bool,
    /// The database's time in its last answer.
    told: Option<StoreTime>,
}

impl<D: Driver> Far for Remote<D> {
    type Client = D;

    const KEEPS: &'static str = "tables";
    const VERSION: i64 = VERSION;
    const NOTHING: &'static str = "has no tables";
    const CLOCK: &'static str = "the database's clock";
    const OTHER: &'static str = "database";
    const CONNECTING: Duration = Duration::from_secs(3);
    const EXCHANGE: Duration = EXCHANGE;
    const EXAMINING_WRITES: bool = false;

    async fn meta(driver: &mut D, place: &str) -> Result<Option<Meta>, Broken> {
        meta::meta(driver, place).await
    }

    async fn told(driver: &mut D) -> Result<Option<StoreTime>, Broken> {
        meta::now(driver).await.map(Some)
    }

    async fn make(driver: &mut D, place: &str, new: &NewStore) -> Result<bool, Unopened> {
        meta::make(driver, place, new).await
    }

    fn over(mut link: Link<Remote<D>>, driver: &D) -> Remote<D> {
        let leaf = driver.texts().leaf;
        let keeps_tags = !leaf;
        link.facts.abilities = Abilities { at_once: D::AT_ONCE, keeps_tags, ..Abilities::remote() };
        Remote { link, leaf, told: None }
    }

    fn link(&mut self) -> &mut Link<Remote<D>> {
        &mut self.link
    }

    async fn fill(&mut self) -> Result<Found, Problem> {
        let meta = self.link.meta;
        self.link.ask(async |driver: &mut D| meta::found(driver, &meta).await).await
    }

    async fn lower(&mut self, now: StoreTime) -> Result<u64, Problem> {
        self.link.ask(async |driver: &mut D| meta::lower(driver, now).await).await
    }
}

impl<D: Driver> Remote<D> {
    /// Writes all groups in one transaction. A group that is written only in part rolls it back, and the
    /// others are written again without that group.
    async fn apply(&mut self, groups: &[Vec<Step>]) -> Result<Vec<Outcome>, Broken> {
        let mut outcomes = vec![Outcome::Done(Vec::new()); groups.len()];
        loop {
            let open: Vec<(&Vec<Step>, &mut Outcome)> = groups
                .iter()
                .zip(&mut outcomes)
                .filter(|(_, outcome)| **outcome != Outcome::Conflict)
                .collect();
            let steps: Vec<&[Step]> = open.iter().map(|(steps, _)| steps.as_slice()).collect();
            let single = steps.iter().all(|steps| steps.len() == 1);
            let ending = match (steps.len(), single) {
                (0, _) => return Ok(outcomes),
                (1, true) => Ending::Alone,
                // A single statement is atomic, so there is nothing to check before its commit.
                (_, true) => Ending::Committed,
                _ => Ending::Open,
            };
            let write =
                self.link.exchange(async |driver: &mut D| driver.write(&steps, ending).await);
            let did = write.await?;
            let mut half = false;
            for ((steps, outcome), did) in open.into_iter().zip(&did) {
                let applied = applied(steps, did);
                half |= applied == Applied::Half;
                if applied != Applied::Whole {
                    *outcome = Outcome::Conflict;
                }
            }
            self.told =
                did.iter().flatten().filter_map(|did| did.now_ms).next_back().map(StoreTime::new);
            if ending != Ending::Open {
                return Ok(outcomes);
            }
            if !half {
                self.link.exchange(async |driver: &mut D| driver.script("COMMIT").await).await?;
                return Ok(outcomes);
            }
            self.link.exchange(async |driver: &mut D| driver.script("ROLLBACK").await).await?;
        }
    }

    async fn commit(&mut self, groups: &[Group]) -> Result<Vec<Outcome>, Broken> {
        if groups.is_empty() {
            return Ok(Vec::new());
        }
        let leaf = self.leaf;
        let of_group =
            |group: &Group| group.iter().flat_map(|write| sql::steps(write, leaf)).collect();
        let steps: Vec<Vec<Step>> = groups.iter().map(of_group).collect();
        let broken = match self.apply(&steps).await {
            Ok(outcomes) => return Ok(outcomes),
            Err(broken) => broken,
        };
        // The database has rolled back already; this resets the client's own state.
        let undone = self.link.exchange(async |driver: &mut D| driver.script("ROLLBACK").await);
        if undone.await.is_err() {
            self.link.lose(&broken.detail);
        }
        match broken.kind {
            Breakage::Of(Kind::Race) => Ok(vec![Outcome::Conflict; groups.len()]),
            _ => Err(broken),
        }
    }

    /// Writes each group in a transaction of its own.
    async fn each(&mut self, groups: &[Group]) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for group in groups {
            match self.commit(std::slice::from_ref(group)).await {
                Ok(outcome) => outcomes.extend(outcome),
                Err(broken) if broken.kind == Breakage::Of(Kind::Locked) => {
                    outcomes.push(Outcome::Locked(self.link.failed(&broken)));
                }
                // The earlier groups keep their outcomes: they are written.
                Err(broken) => {
                    outcomes.resize(groups.len(), Outcome::Failed(self.link.failed(&broken)));
                    break;
                }
            }
        }
        outcomes
    }
}

fn gathered(want: &Want, asked: &Query, rows: &[Row], leaf: bool) -> Answer {
    if leaf
        && let (Want::Tag(tag), Some(step)) = (want, rows.iter().find_map(leaf::odd_step))
        && let Some(left_out) = ODD_STEPS.admit(Code::StepInvalid)
    {
        let code = Code::StepInvalid;
        tracing::warn!(%code, left_out, "tag `{tag}` has `step` {step} in `leaf_alloc`, and counts as one of 0");
    }
    sql::answered(want, asked, rows, leaf)
}

impl<D: Driver> BackEnd for Remote<D> {
    fn facts(&self) -> &Facts {
        &self.link.facts
    }

    fn connection(&self) -> u64 {
        self.link.connections
    }

    async fn standing(&mut self) -> Result<Standing, Problem> {
        let asked = [sql::query(&Want::Fenced)];
        let stands = self.link.ask(async |driver: &mut D| {
            let rows = driver.read(&asked).await?.pop().unwrap_or_default();
            let Answer::Fenced(fenced) = sql::answered(&Want::Fenced, &asked[0], &rows, false)
            else {
                return Err(Broken::refused("no row says when it was fenced"));
            };
            Ok(Standing { fenced, ..driver.named().await? })
        });
        stands.await
    }

    async fn begin(&mut self) -> Result<(), Problem> {
        self.link.ready().await
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Read, Problem> {
        let mut asked: Vec<Query> = wants.iter().map(sql::query).collect();
        asked.push(Query::new("now", |_| {}));
        let mut read = Vec::with_capacity(asked.len());
        for some in asked.chunks(D::TOGETHER) {
            read.extend(self.link.ask(async |driver: &mut D| driver.read(some).await).await?);
        }
        let now = read.pop().unwrap_or_default();
        let told = now.first().and_then(|row| row.int(0).ok()).map(StoreTime::new);
        let mut answers = Vec::with_capacity(wants.len());
        for ((want, asked), rows) in wants.iter().zip(&asked).zip(read) {
            let mut reading = Reading::of(*want);
            let mut found = gathered(want, asked, &rows, self.leaf);
            // More is read only after the range of a namespace changed.
            answers.push(loop {
                if let Some(answer) = reading.learn(found) {
                    break answer;
                }
                let more = [reading.query()];
                let read = self.link.ask(async |driver: &mut D| driver.read(&more).await);
                let rows = read.await?.pop().unwrap_or_default();
                found = gathered(want, &more[0], &rows, self.leaf);
            });
        }
        Ok(Read { told, answers })
    }

    async fn write(&mut self, groups: &[Group]) -> Result<Written, Problem> {
        let outcomes = match self.commit(groups).await {
            Ok(outcomes) => outcomes,
            // Another session has a row locked: one by one, only the groups that need that row fail.
            Err(broken) if broken.kind == Breakage::Of(Kind::Locked) => match groups {
                [_] => vec![Outcome::Locked(self.link.failed(&broken))],
                _ => self.each(groups).await,
            },
            Err(broken) => return Err(self.link.failed(&broken)),
        };
        Ok(Written { told: self.told.take(), outcomes })
    }
}

/// Judges a server by the row of `meta/settings`: refuses one that cannot be a store, and refuses or warns of
/// settings that let a crash lose confirmed writes. A server that hides its settings is refused.
pub(crate) fn judge(place: &str, found: &[Row], allow_unsafe: bool) -> Result<(), Broken> {
    let row = Row::only(found)?;
    if let Some(why) = row.said(0)? {
        return Err(Problem::new(Code::StoreRefused, format!("{place} {why}")).into());
    }
    let Some(setting) = row.said(1)? else { return Ok(()) };
    let cure = row.text(2)?;
    let loses = "a crash forgets what was answered last: the same numbers would be granted again";
    if allow_unsafe {
        tracing::warn!(place, setting, "let pass by --allow-unsafe-settings: {loses}");
        return Ok(());
    }
    let detail = format!(
        "{place} has {setting}, and {loses}; {cure}, or, if that loss is to be accepted, start with \
         --allow-unsafe-settings"
    );
    Err(Problem::new(Code::StoreRefused, detail).into())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use leafid_core::Token;
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
        let refused = Breakage::Unfit(Code::StoreRefused);
        assert!(judged(&[[null(), null(), text("set it on")]], false).is_ok());
        assert_eq!(judged(std::slice::from_ref(&risk), false).unwrap_err().kind, refused);
        assert!(judged(&[risk], true).is_ok());
        let replica = judged(&[[text("is a replica"), null(), null()]], true);
        assert_eq!(replica.unwrap_err().kind, refused);
        for odd in [Value::Int(0), Value::Token(Token::new([0; 16]))] {
            for said in [[odd.clone(), null(), null()], [null(), odd, null()]] {
                assert_eq!(judged(&[said], true).unwrap_err().kind, Breakage::Refused);
            }
        }
        assert_eq!(judged(&[], true).unwrap_err().kind, Breakage::Refused);
    }
}
