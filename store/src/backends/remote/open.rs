//! Opening a database: what it must be and hold, and the making of a store where that was asked for.

use std::sync::Arc;
use std::time::Duration;

use leafid_core::{Code, FieldWriter, StoreTime, Token};
use leafid_sql::VERSION;
use tokio::time::{Instant, sleep, timeout};

use super::Remote;
use super::about::query;
use super::driver::{Breakage, Broken, CONNECTING, Driver, Ending};
use super::link::{Link, unopened_code, unreachable};
use super::meta::{self, Made, Meta};
use crate::backends::clock::DatabaseClock;
use crate::backends::opening::{Found, NewStore, Options, Terms, Unopened, apart, words};
use crate::backends::sql::Query;
use crate::clock::{self, Clock, RegistryTime};
use crate::problem::Problem;
use crate::utc;

/// How long a program that was stopped may still be connected.
const LEAVING: Duration = Duration::from_secs(2);

/// Opens the store in a database, or makes it where that was asked for.
///
/// # Errors
/// `STORE_UNAVAILABLE` where it is not reached, `STORE_UNKNOWN` where it is not there, `UNAUTHORIZED`
/// and `FORBIDDEN` where the database does not let us in, `STORE_REFUSED` where a setting cannot keep a
/// promise, `SCHEMA_MISMATCH` for tables of another program or version, `STORE_CHANGED` for
/// another store than was expected.
pub fn open<D: Driver>(
    address: &D::Address,
    place: &str,
    ticks: Arc<dyn Clock>,
    terms: &Terms,
) -> Result<Remote<D>, Unopened> {
    let opened = apart(|| async {
        let mut driver = reach::<D>(address, place).await?;
        let told = |broken: Broken| unopened::<D>(place, &broken);
        driver.examine(terms.allow_unsafe).await.map_err(told)??;
        let clock = DatabaseClock::new(terms.source.clone(), ticks);
        clock.learn(StoreTime::new(meta::now(&mut driver).await.map_err(told)?));
        let (meta, created) = settled(&mut driver, place, &clock, &terms.options).await?;
        let (found, longest) = meta::found(&mut driver, &meta, created).await.map_err(told)?;
        let believe = terms.options.believe_clock;
        let latest = check_clock(&mut driver, &clock, &meta, &found, believe).await?;
        Ok::<_, Unopened>((clock, meta, found, longest, latest))
    })?;
    let (clock, meta, found, longest, latest) = opened?;
    let time = RegistryTime::start(latest, &clock);
    let now = clock.wall().max(latest);
    let link = Link::new(address.clone(), place.to_owned(), meta.store, terms.allow_unsafe);
    let place = place.to_owned();
    Ok(Remote { link, place, meta, found, now, clock, time, longest, beaten: meta.beat })
}

/// Gives a store another id; nobody else has it open meanwhile, where the database tells.
///
/// # Errors
/// As [`open`].
pub fn rename<D: Driver>(address: &D::Address, place: &str, id: Token) -> Result<(), Unopened> {
    apart(|| async {
        let mut driver = reach::<D>(address, place).await?;
        look(&mut driver, place).await?.ok_or_else(|| words::not_there(place, "has no tables"))?;
        alone(&mut driver, place).await?;
        let asked = query(D::ABOUT.rename, |to| to.token("store", id));
        let renamed = meta::write(&mut driver, asked).await;
        renamed.map(drop).map_err(|broken| unopened::<D>(place, &broken))
    })?
}

/// Waits until no other program of ours has the database open: one that was just stopped may be there
/// for a moment longer.
async fn alone<D: Driver>(driver: &mut D, place: &str) -> Result<(), Unopened> {
    let begun = Instant::now();
    loop {
        let others = meta::others(driver).await.map_err(|broken| unopened::<D>(place, &broken))?;
        if others.is_empty() {
            return Ok(());
        }
        if begun.elapsed() >= LEAVING {
            return Err(in_use(place, &others));
        }
        sleep(LEAVING / 20).await;
    }
}

async fn reach<D: Driver>(address: &D::Address, place: &str) -> Result<D, Unopened> {
    let connected = timeout(CONNECTING, D::connect(address)).await.unwrap_or_else(|_| {
        let detail = format!("no answer within {CONNECTING:?}");
        Err(Broken { detail, kind: Breakage::Lost })
    });
    connected.map_err(|broken| unopened::<D>(place, &broken))
}

fn unopened<D: Driver>(place: &str, broken: &Broken) -> Unopened {
    let problem = Problem::new(unopened_code(broken), unreachable::<D>(place, broken));
    Unopened { problem, may_pass: broken.kind.may_pass() }
}

/// What the store says of itself, if there is one; refuses tables of another program or version.
async fn look<D: Driver>(driver: &mut D, place: &str) -> Result<Option<Meta>, Unopened> {
    let told = |broken: Broken| unopened::<D>(place, &broken);
    match meta::made(driver).await.map_err(told)? {
        Made::Not => Ok(None),
        Made::Tables => {
            let meta = meta::meta(driver).await.map_err(told)?;
            Ok(meta.map(|meta| meta.of_this_version(place)).transpose()?)
        }
        Made::Foreign(table) => {
            let detail = format!(
                "{place} is not a leafid store: its table `{table}` is another program's; give \
                 leafid a database of its own"
            );
            Err(Problem::new(Code::SchemaMismatch, detail).into())
        }
    }
}

/// The store, which is made if it is not there and may be.
async fn settled<D: Driver>(
    driver: &mut D,
    place: &str,
    clock: &DatabaseClock,
    options: &Options,
) -> Result<(Meta, bool), Unopened> {
    let told = |broken: Broken| unopened::<D>(place, &broken);
    let mut created = false;
    // A new store would be another than the one that is expected.
    if options.create && options.expect.is_none() && look(driver, place).await?.is_none() {
        driver.begin_making().await.map_err(told)?;
        // Another program may have made it meanwhile.
        created = look(driver, place).await?.is_none();
        if created {
            let new = options.new_store(clock.wall())?;
            if let Err(broken) = make(driver, &new).await {
                let _ = driver.rollback().await;
                return Err(cannot_make(place, &broken));
            }
        }
        driver.commit().await.map_err(|broken| cannot_make(place, &broken))?;
    }
    let meta =
        look(driver, place).await?.ok_or_else(|| words::not_there(place, "has no tables"))?;
    options.refuse_other(place, meta.store)?;
    Ok((meta, created))
}

/// Makes the tables, the namespace `default`, and the store's row, which comes last.
async fn make<D: Driver>(driver: &mut D, new: &NewStore) -> Result<(), Broken> {
    driver.script(D::TEXTS.schema).await?;
    // A making that was not finished may have written it already.
    driver.write(&[&D::TEXTS.steps(&new.write())], Ending::Alone).await?;
    let asked = query(D::ABOUT.make, |to| {
        to.millis("version", VERSION);
        to.token("store", new.id);
        to.millis("created_ms", new.now.get());
        to.millis("floor_ms", new.floor.get());
    });
    meta::write(driver, asked).await.map(drop)
}

/// Refuses a clock that strays from what the store knows, or has the store follow it; gives the
/// latest time of a grant.
async fn check_clock<D: Driver>(
    driver: &mut D,
    clock: &DatabaseClock,
    meta: &Meta,
    found: &Found,
    believe: bool,
) -> Result<StoreTime, Unopened> {
    let (source, granted) = (clock.wall(), found.last_grant.unwrap_or(StoreTime::new(0)));
    let Some(known) = clock::strays(source, granted, meta.beat) else { return Ok(granted) };
    if believe {
        let mut lowered = 0;
        for text in [D::ABOUT.lower, D::TEXTS.beat] {
            let asked: Query = query(text, |to| to.millis("now", source.get()));
            let did = meta::write(driver, asked).await;
            let did = did.map_err(|broken| Problem::unavailable(broken.detail))?;
            lowered = if text == D::ABOUT.lower { did.rows } else { lowered };
        }
        let (source_text, known) = (utc::text(source), utc::text(known));
        tracing::warn!(
            source = source_text,
            known,
            lowered,
            "the clock is believed; numbers stay reserved"
        );
        return Ok(granted.min(source));
    }
    Err(words::strays("the database's clock", source, known).into())
}

fn cannot_make(place: &str, broken: &Broken) -> Unopened {
    let rights = match broken.kind {
        Breakage::Denied => "; give the user of that name the rights that docs/STORES.md names",
        _ => "",
    };
    let detail = format!(
        "the tables of a store cannot be made in {place}: {}{rights}; nothing was made, or only \
         empty tables that the next try uses",
        broken.detail
    );
    let problem = Problem::new(unopened_code(broken), detail);
    Unopened { problem, may_pass: broken.kind.may_pass() }
}

/// Who has the tables open knows the old id.
fn in_use(place: &str, others: &str) -> Unopened {
    Problem::unavailable(format!(
        "other programs of leafid's have {place} open (processes of the database: {others}), and would \
         go on as the store with the old id; stop every server, and every process that opens the \
         database itself, then: leafid repair --new-id --store {place}"
    ))
    .into()
}
