//! The common part of PostgreSQL and MySQL: a back end over an SQL database across a network. Other servers
//! use the same rows at the same time without knowing of each other, so every write has the rows that it
//! was decided on as its conditions.

mod driver;
mod open;
mod rows;

use leafid_core::{Code, StoreTime};

use super::link::{Breakage, Broken, Kind, Link};
use super::{Answer, BackEnd, Facts, Group, Outcome, Want};
use crate::problem::Problem;
use leafid_turn::sql::gaps::Reading;
use leafid_turn::sql::{self, Query, Step};

pub use driver::Driver;
use driver::applied;
pub(crate) use driver::{Did, EXCHANGE, Ending, LOCKED_MS, STATEMENT_MS};
pub use open::rename;
pub(crate) use rows::Row;

/// A store in a database.
pub struct Remote<D: Driver> {
    link: Link<Remote<D>>,
    /// Whether Leaf's own table keeps the tags.
    leaf: bool,
    /// The database's time in its last answer.
    told: Option<StoreTime>,
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
                let (is_whole, is_written) = applied(steps, did);
                half |= !is_whole && is_written;
                if !is_whole {
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

    /// Writes the groups in one transaction, unless another session has a row of theirs locked.
    async fn commit(&mut self, groups: &[Group]) -> Result<Vec<Outcome>, Broken> {
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
        match (broken.kind, groups.len()) {
            (Breakage::Of(Kind::Race), count) => Ok(vec![Outcome::Conflict; count]),
            (Breakage::Of(Kind::Locked), 1) => Ok(vec![Outcome::Locked(self.link.failed(&broken))]),
            _ => Err(broken),
        }
    }
}

impl<D: Driver> BackEnd for Remote<D> {
    fn facts(&self) -> &Facts {
        &self.link.facts
    }

    async fn begin(&mut self) -> Result<(), Problem> {
        self.told = None;
        self.link.ready().await
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Vec<Answer>, Problem> {
        let mut asked: Vec<Query> = wants.iter().map(sql::query).collect();
        asked.push(Query::new("now", |_| {}));
        let mut read = Vec::with_capacity(asked.len());
        for some in asked.chunks(D::TOGETHER) {
            read.extend(self.link.ask(async |driver: &mut D| driver.read(some).await).await?);
        }
        let now = read.pop().unwrap_or_default();
        self.told = now.first().and_then(|row| row.int(0).ok()).map(StoreTime::new);
        let mut answers = Vec::with_capacity(wants.len());
        for ((want, asked), rows) in wants.iter().zip(&asked).zip(read) {
            let mut reading = Reading::of(*want);
            let mut found = sql::answered(want, asked, &rows, self.leaf);
            // More is read only after the range of a namespace changed.
            answers.push(loop {
                if let Some(answer) = reading.learn(found) {
                    break answer;
                }
                let more = [reading.query()];
                let read = self.link.ask(async |driver: &mut D| driver.read(&more).await);
                let rows = read.await?.pop().unwrap_or_default();
                found = sql::answered(want, &more[0], &rows, self.leaf);
            });
        }
        Ok(answers)
    }

    async fn write(&mut self, groups: &[Group]) -> Result<Vec<Outcome>, Problem> {
        match self.commit(groups).await {
            // One by one, only the groups that need the locked row fail.
            Err(broken) if broken.kind == Breakage::Of(Kind::Locked) => {
                let mut outcomes = Vec::new();
                for group in groups {
                    match self.commit(std::slice::from_ref(group)).await {
                        Ok(outcome) => outcomes.extend(outcome),
                        // The earlier groups keep their outcomes: they are written.
                        Err(broken) => {
                            let failed = Outcome::Failed(self.link.failed(&broken));
                            outcomes.resize(groups.len(), failed);
                            break;
                        }
                    }
                }
                Ok(outcomes)
            }
            committed => committed.map_err(|broken| self.link.failed(&broken)),
        }
    }

    fn told(&mut self) -> Option<StoreTime> {
        self.told.take()
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
