//! Databases across a network: how a store in one is opened or made.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use leafid_core::{StoreTime, Token};
use tokio::time::timeout;

use super::BackEnd;
use super::clock::DatabaseClock;
use super::link::{Broken, Link};
use super::opening::{self, Found, NewStore, Options, Unopened, apart};
use crate::clock::Clock;
use crate::problem::Problem;

/// How long the making of a store may take, in a database that has answered: given up earlier, it may
/// be there, and whoever made it would be told that it is not.
const MAKING: Duration = Duration::from_secs(10);

/// What a store says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The version of its tables or keys.
    pub version: i64,
    /// Its random id.
    pub store: Token,
    /// Before when it grants no window; 0 unless it replaces a lost one.
    pub floor: StoreTime,
    /// When it wrote its time last, where that is said here.
    pub beat: StoreTime,
    /// Which writing this is, where the database counts them.
    pub revision: u64,
}

/// A connection to a database across a network.
///
/// # Errors
/// Every verb says how the exchange failed.
pub trait Client: Sized + Send + Sync + 'static {
    /// Where the database is, and as whom it is used.
    type Address: Clone + Send + Sync + 'static;

    /// What it is called, for a person.
    const NAME: &'static str;

    /// Connects, and sets what the session needs.
    fn connect(address: &Self::Address) -> impl Future<Output = Result<Self, Broken>> + Send;

    /// Looks at the server's version and settings; warns of what is let pass.
    fn examine(&mut self, allow_unsafe: bool) -> impl Future<Output = Result<(), Broken>> + Send;

    /// Whether the connection is known to be gone.
    fn is_lost(&self) -> bool;

    /// Whether the other end still answers, where that is not known by itself.
    fn ping(&mut self) -> impl Future<Output = Result<(), Broken>> + Send {
        async { Ok(()) }
    }
}

/// A back end over a database across a network, and what it asks of a connection.
pub trait Far: BackEnd + Sized {
    /// A connection.
    type Client: Client;

    /// What a store is made of: `tables`, `keys`.
    const KEEPS: &'static str;
    /// The version of those.
    const VERSION: i64;
    /// What is said of a place without a store.
    const NOTHING: &'static str;
    /// What its clock is called.
    const CLOCK: &'static str;
    /// What to name instead of a place that has one.
    const OTHER: &'static str;
    /// How long a connection may take to be made and looked at.
    const CONNECTING: Duration;
    /// How long an exchange may take.
    const EXCHANGE: Duration;
    /// Examining writes something, which is not done before it is known that the place is a store's.
    const EXAMINING_WRITES: bool;

    /// What the store says of itself, if it is there.
    fn meta(
        client: &mut Self::Client,
        place: &str,
    ) -> impl Future<Output = Result<Option<Meta>, Broken>> + Send;

    /// The database's own time, if it has one.
    fn told(
        client: &mut Self::Client,
    ) -> impl Future<Output = Result<Option<StoreTime>, Broken>> + Send;

    /// Makes the store, unless one is there; whether it did.
    fn make(
        client: &mut Self::Client,
        place: &str,
        new: &NewStore,
    ) -> impl Future<Output = Result<bool, Unopened>> + Send;

    /// Over a connection by which nothing was read yet.
    fn over(link: Link<Self>, client: &Self::Client) -> Self;

    /// The connections.
    fn link(&mut self) -> &mut Link<Self>;

    /// Reads what there is.
    fn fill(&mut self) -> impl Future<Output = Result<Found, Problem>>;

    /// Lowers what is known of a later time than this, to it; how many times of grants that were.
    fn lower(&mut self, now: StoreTime) -> impl Future<Output = Result<u64, Problem>>;
}

/// Where a back end's database is, and as whom it is used.
pub type Address<B> = <<B as Far>::Client as Client>::Address;

/// Opens the store in a database, or makes it where the options say so.
///
/// # Errors
/// `STORE_UNAVAILABLE` where it is not reached, `STORE_UNKNOWN` where it is not there, `UNAUTHORIZED`
/// and `FORBIDDEN` where the database does not let us in, `STORE_REFUSED` where a setting or a clock
/// cannot keep a promise or a store is there that was to be new, `SCHEMA_MISMATCH` for what another program or version wrote, `STORE_CHANGED`
/// for another store than was expected.
pub fn open<B: Far>(
    address: &Address<B>,
    place: &str,
    ticks: Arc<dyn Clock>,
    options: &Options,
) -> Result<B, Unopened> {
    apart(|| async {
        let told = |broken: Broken| broken.unopened::<B>(place);
        let mut client = reach::<B>(address, place).await?;
        if !B::EXAMINING_WRITES {
            within::<B, _>(place, client.examine(options.allow_unsafe)).await?;
        }
        let mut meta = look::<B>(&mut client, place).await?;
        if meta.is_none() && !options.may_create() {
            return Err(opening::not_there(place, B::NOTHING).into());
        }
        if B::EXAMINING_WRITES {
            within::<B, _>(place, client.examine(options.allow_unsafe)).await?;
        }
        let clock = DatabaseClock::new(options.source.clone(), ticks);
        if let Some(now) = B::told(&mut client).await.map_err(told)? {
            clock.learn(now);
        }
        let mut created = false;
        if meta.is_none() {
            let new = options.new_store(clock.wall())?;
            let made = timeout(MAKING, B::make(&mut client, place, &new)).await;
            created = made.map_err(|_| told(late(MAKING)))??;
            meta = look::<B>(&mut client, place).await?;
        }
        let meta = meta.ok_or_else(|| opening::not_there(place, B::NOTHING))?;
        options.refuse_other(place, meta.store)?;
        let (address, place) = (address.clone(), place.to_owned());
        let link = Link::new(address, place, meta, clock, options.allow_unsafe);
        let mut opened = B::over(link, &client);
        opened.link().client = Some(client);
        let filled = fill(&mut opened, created, options).await;
        let link = opened.link();
        let may_pass = link.client.is_none();
        filled.map_err(|problem| match link.denied() {
            Some(broken) => broken.unopened::<B>(&link.place),
            None => Unopened { problem, may_pass },
        })?;
        // Another thread makes a connection of its own.
        link.client = None;
        Ok(opened)
    })?
}

/// Reads what there is, and looks whether the clock fits it.
async fn fill<B: Far>(opened: &mut B, created: bool, options: &Options) -> Result<(), Problem> {
    let mut found = Found { created, ..opened.fill().await? };
    let Link { place, meta, clock, .. } = opened.link();
    options.refuse_old(place, meta.store, &found, B::OTHER)?;
    let source = clock.wall();
    if let Some(known) = found.judge_clock(B::CLOCK, source, options.believe_clock)? {
        found.believe_clock(source, known, opened.lower(source).await?);
    }
    opened.link().begin(found);
    Ok(())
}

/// Connects to a database.
///
/// # Errors
/// As [`open`].
pub async fn reach<B: Far>(address: &Address<B>, place: &str) -> Result<B::Client, Unopened> {
    within::<B, _>(place, B::Client::connect(address)).await
}

/// What the store says of itself, if it is there.
///
/// # Errors
/// As [`open`].
pub async fn look<B: Far>(client: &mut B::Client, place: &str) -> Result<Option<Meta>, Unopened> {
    let found = within::<B, _>(place, B::meta(client, place)).await?;
    Ok(found.map(|meta| of_this_version::<B>(meta, place)).transpose()?)
}

async fn within<B: Far, T>(
    place: &str,
    done: impl Future<Output = Result<T, Broken>>,
) -> Result<T, Unopened> {
    let done = timeout(B::CONNECTING, done).await.unwrap_or_else(|_| Err(late(B::CONNECTING)));
    done.map_err(|broken| broken.unopened::<B>(place))
}

/// No answer came in time.
pub fn late(limit: Duration) -> Broken {
    Broken::lost(format!("no answer within {limit:?}"))
}

/// Refuses tables or keys of another version.
pub fn of_this_version<B: Far>(meta: Meta, place: &str) -> Result<Meta, Problem> {
    match meta.version == B::VERSION {
        true => Ok(meta),
        false => Err(opening::other_version(place, B::KEEPS, meta.version, B::VERSION)),
    }
}
