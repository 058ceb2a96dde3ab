//! A store in tables as a whole: finding and making it, reading its contents, giving it another id.

use std::time::Duration;

use leafid_core::{StoreTime, Token};
use leafid_turn::sql::VERSION;
use leafid_wire::FieldWriter;
use tokio::time::{Instant, sleep};

use super::Remote;
use super::driver::{Did, Driver, EXCHANGE, Ending};
use super::rows::Row;
use crate::backends::Abilities;
use crate::backends::far::{Far, Meta, look, reach};
use crate::backends::link::{Broken, Link};
use crate::backends::opening::{self, Found, NewStore, Unopened, apart};
use crate::problem::Problem;
use leafid_turn::sql::{self, Query, Step};

/// How long a stopped program may still be connected.
const LEAVING: Duration = Duration::from_secs(2);

async fn ask<D: Driver>(driver: &mut D, text: &'static str) -> Result<Vec<Row>, Broken> {
    let mut read = driver.read(&[Query::new(text, |_| {})]).await?;
    Ok(read.pop().unwrap_or_default())
}

/// Runs one writing statement, by itself or in the open transaction.
async fn write<D: Driver>(driver: &mut D, asked: Query) -> Result<Did, Broken> {
    let did = driver.write(&[&[Step::Adjust(asked)]], Ending::Alone).await?;
    Ok(did.first().and_then(|group| group.first()).copied().unwrap_or_default())
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

    /// Refuses tables of other programs that have the names of ours. A store that was not made completely is
    /// none.
    async fn meta(driver: &mut D, place: &str) -> Result<Option<Meta>, Broken> {
        let rows = ask(driver, "made").await?;
        let Some(first) = rows.first() else { return Ok(None) };
        let mut ours = false;
        for row in &rows {
            let name = row.text(0)?;
            // In Leaf's database our tables are called `leafid_…`.
            let is_meta = name.strip_prefix("leafid_").unwrap_or(name) == "meta";
            ours |= row.int(1)? > 0 && is_meta;
        }
        if !ours {
            let what = format!("its table `{}` is another program's", first.text(0)?);
            return Err(opening::foreign(place, &what, "database").into());
        }
        let rows = ask(driver, "meta").await?;
        let Some(row) = rows.first() else { return Ok(None) };
        Ok(Some(Meta {
            version: row.int(0)?,
            store: row.token(1)?,
            floor: StoreTime::new(row.int(2)?),
            beat: StoreTime::new(row.int(3)?),
            revision: 0,
        }))
    }

    async fn now(driver: &mut D) -> Result<Option<StoreTime>, Broken> {
        let rows = ask(driver, "now").await?;
        Ok(Some(StoreTime::new(Row::only(&rows)?.int(0)?)))
    }

    async fn make(driver: &mut D, place: &str, new: &NewStore) -> Result<bool, Unopened> {
        driver.begin_making().await.map_err(|broken| broken.unopened::<Remote<D>>(place))?;
        let makes = look::<Remote<D>>(driver, place).await?.is_none();
        if makes && let Err(broken) = put(driver, new).await {
            let _ = driver.script("ROLLBACK").await;
            return Err(cannot_make(place, &broken));
        }
        driver.script("COMMIT").await.map_err(|broken| cannot_make(place, &broken))?;
        Ok(makes)
    }

    fn over(mut link: Link<Remote<D>>, driver: &D) -> Remote<D> {
        let leaf = driver.texts().leaf;
        let keeps_tags = !leaf;
        link.facts.abilities = Abilities { at_once: D::AT_ONCE, keeps_tags, ..Abilities::REMOTE };
        Remote { link, leaf, told: None }
    }

    fn link(&mut self) -> &mut Link<Remote<D>> {
        &mut self.link
    }

    async fn fill(&mut self) -> Result<Found, Problem> {
        let Meta { beat, floor, .. } = self.link.meta;
        let found = self.link.ask(async |driver: &mut D| {
            let rows = ask(driver, "found").await?;
            let row = Row::only(&rows)?;
            let counts = [row.number(0)?, row.number(1)?, row.number(2)?];
            Ok(Found::of(counts, [StoreTime::new(row.int(3)?), beat, floor]))
        });
        found.await
    }

    async fn lower(&mut self, now: StoreTime) -> Result<u64, Problem> {
        let lower = self.link.ask(async |driver: &mut D| {
            let asked = |text| Query::new(text, |to| to.millis("now", now.get()));
            write(driver, asked("beat")).await?;
            Ok(write(driver, asked("lower")).await?.rows)
        });
        lower.await
    }
}

/// Writes a new store; its row comes last, as the sign that it is complete.
async fn put<D: Driver>(driver: &mut D, new: &NewStore) -> Result<(), Broken> {
    driver.script(driver.texts().text("schema").sql).await?;
    // An interrupted attempt may have written this already.
    driver.write(&[&sql::steps(&new.write(), false)], Ending::Alone).await?;
    let asked = Query::new("make", |to| {
        to.millis("version", VERSION);
        to.token("store", new.id);
        to.millis("created_ms", new.now.get());
        to.millis("floor_ms", new.floor.get());
    });
    write(driver, asked).await.map(drop)
}

fn cannot_make(place: &str, broken: &Broken) -> Unopened {
    let rights = match broken.is_denied() {
        true => "; give the user of that name the rights that docs/STORES.md names",
        false => "",
    };
    broken.unopened_as(format!(
        "the tables of a store cannot be made in {place}: {}{rights}; nothing was made, or only \
         empty tables that the next try uses",
        broken.detail
    ))
}

/// Gives a store another id, while no other program has it open, if the database can tell.
///
/// # Errors
/// As [`open`](crate::backends::far::open).
pub fn rename<D: Driver>(address: &D::Address, place: &str, id: Token) -> Result<(), Unopened> {
    apart(|| async {
        let mut driver = reach::<Remote<D>>(address, place).await?;
        let found = look::<Remote<D>>(&mut driver, place).await?;
        found.ok_or_else(|| opening::not_there(place, "has no tables"))?;
        alone(&mut driver, place).await?;
        for query in
            [Query::new("servers_clear", |_| {}), Query::new("rename", |to| to.token("store", id))]
        {
            let written = write(&mut driver, query).await;
            written.map_err(|broken| broken.unopened::<Remote<D>>(place))?;
        }
        Ok(())
    })?
}

/// Waits until no other program of ours, which would know the old id, has the database open. One that was
/// just stopped may be connected for a moment longer.
async fn alone<D: Driver>(driver: &mut D, place: &str) -> Result<(), Unopened> {
    let (begun, told) = (Instant::now(), |broken: Broken| broken.unopened::<Remote<D>>(place));
    if driver.texts().find("others").is_none() {
        return Ok(());
    }
    loop {
        let rows = ask(driver, "others").await.map_err(told)?;
        let others = rows.first().map_or(Ok(""), |row| row.text(0)).map_err(told)?;
        if others.is_empty() {
            return Ok(());
        }
        if begun.elapsed() >= LEAVING {
            return Err(Problem::unavailable(format!(
                "other programs of leafid's have {place} open (processes of the database: {others}), and \
                 would go on as the store with the old id; stop every server, and every process that \
                 opens the database itself, then: leafid repair --new-id --store {place}"
            ))
            .into());
        }
        sleep(LEAVING / 20).await;
    }
}
