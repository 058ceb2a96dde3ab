//! Opens or makes a store in a database across a network.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use leafid_core::{StoreTime, Token};
use tokio::time::timeout;

use super::clock::StoreClock;
use super::link::{Broken, Link};
use super::opening::{self, Found, NewStore, Options, Unopened, apart};
use super::{BackEnd, Facts};
use crate::clock::Clock;
use crate::problem::Problem;

/// The time-out for making a store, in a database that has answered. Giving up too early could report a
/// failure although the store was made.
const MAKING: Duration = Duration::from_secs(10);

/// A store's row about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The version of its tables or keys.
    pub version: i64,
    /// Its random id.
    pub store: Token,
    /// The floor below which it grants no window; 0 unless it replaces a lost store.
    pub floor: StoreTime,
    /// When it wrote its time last, if that is in this row.
    pub beat: StoreTime,
    /// The revision of this row, if the database counts writes.
    pub revision: u64,
}

/// A connection to a database across a network.
///
/// # Errors
/// Every method tells how the exchange failed.
pub trait Client: Sized + Send + Sync + 'static {
    /// Where the database is, and the login.
    type Address: Clone + Send + Sync + 'static;

    /// The name of the database, for messages.
    const NAME: &'static str;

    /// Connects, and sets what the session needs.
    fn connect(address: &Self::Address) -> impl Future<Output = Result<Self, Broken>> + Send;

    /// Checks the version and settings of the server at this place, and warns of unsafe ones that are allowed.
    fn examine(
        &mut self,
        place: &str,
        allow_unsafe: bool,
    ) -> impl Future<Output = Result<(), Broken>> + Send;

    /// Whether the connection is known to be gone.
    fn is_lost(&self) -> bool;

    /// Checks that the server still answers, if the client does not do so by itself.
    fn ping(&mut self) -> impl Future<Output = Result<(), Broken>> + Send {
        async { Ok(()) }
    }
}

/// A back end over a database across a network, and its use of a connection.
pub trait Far: BackEnd + Sized {
    /// A connection.
    type Client: Client;

    /// The word for the parts of a store: `tables` or `keys`.
    const KEEPS: &'static str;
    /// The version of those tables or keys.
    const VERSION: i64;
    /// The words for a place without a store.
    const NOTHING: &'static str;
    /// The name of its clock.
    const CLOCK: &'static str;
    /// The words for what to name instead of a place that has a store.
    const OTHER: &'static str;
    /// The time-out for making and examining a connection.
    const CONNECTING: Duration;
    /// The time-out for an exchange.
    const EXCHANGE: Duration;
    /// Whether examining a server writes to it, so that it must not happen before a store is found there.
    const EXAMINING_WRITES: bool;

    /// Reads the store's row about itself, if there is a store.
    fn meta(
        client: &mut Self::Client,
        place: &str,
    ) -> impl Future<Output = Result<Option<Meta>, Broken>> + Send;

    /// Reads the database's own time, if it has one.
    fn now(
        client: &mut Self::Client,
    ) -> impl Future<Output = Result<Option<StoreTime>, Broken>> + Send;

    /// Makes the store unless one exists, and tells whether it did.
    fn make(
        client: &mut Self::Client,
        place: &str,
        new: &NewStore,
    ) -> impl Future<Output = Result<bool, Unopened>> + Send;

    /// Makes the back end over a fresh connection.
    fn over(link: Link<Self>, client: &Self::Client) -> Self;

    /// The connections.
    fn link(&mut self) -> &mut Link<Self>;

    /// Reads the contents of the store.
    fn fill(&mut self) -> impl Future<Output = Result<Found, Problem>>;

    /// Lowers all later times in the store to this one, and counts the times of grants among them.
    fn lower(&mut self, now: StoreTime) -> impl Future<Output = Result<u64, Problem>>;
}

/// Where a back end's database is, and the login.
pub type Address<B> = <<B as Far>::Client as Client>::Address;

/// Opens the store in a database, or makes it if the options allow.
///
/// # Errors
/// `STORE_UNAVAILABLE` if the database is not reached, `STORE_UNKNOWN` if there is no store, `UNAUTHORIZED`
/// and `FORBIDDEN` if the database denies access, `STORE_REFUSED` for a setting or clock that makes grants
/// unsafe, or an existing store where a new one was wanted, `SCHEMA_MISMATCH` for data of another program or
/// version, `STORE_CHANGED` for another store than expected.
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
            within::<B, _>(place, client.examine(place, options.allow_unsafe)).await?;
        }
        let mut meta = look::<B>(&mut client, place).await?;
        if meta.is_none() && !options.may_create() {
            return Err(opening::not_there(place, B::NOTHING).into());
        }
        if B::EXAMINING_WRITES {
            within::<B, _>(place, client.examine(place, options.allow_unsafe)).await?;
        }
        let mut clock = StoreClock::new(B::CLOCK, options.own_clock, ticks);
        clock.now(B::now(&mut client).await.map_err(told)?);
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
            Some(broken) => broken.unopened::<B>(&link.facts.place),
            None => Unopened { problem, may_pass },
        })?;
        // The connection belongs to this thread's runtime; the store's own thread makes another.
        link.client = None;
        Ok(opened)
    })?
}

/// Reads the contents of the store, and checks the clock against them.
async fn fill<B: Far>(opened: &mut B, created: bool, options: &Options) -> Result<(), Problem> {
    let mut found = Found { created, ..opened.fill().await? };
    let Facts { store, place, clock, .. } = &opened.link().facts;
    options.refuse_old(place, *store, &found, B::OTHER)?;
    let source = clock.wall();
    if let Some(known) = found.judge_clock(B::CLOCK, source, options.believe_clock)? {
        found.believe_clock(source, known, opened.lower(source).await?);
    }
    let facts = &mut opened.link().facts;
    facts.clock.start(&found);
    facts.found = found;
    Ok(())
}

/// Connects to a database.
///
/// # Errors
/// As [`open`].
pub async fn reach<B: Far>(address: &Address<B>, place: &str) -> Result<B::Client, Unopened> {
    within::<B, _>(place, B::Client::connect(address)).await
}

/// Reads the store's row about itself, if there is a store.
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

/// The error for an answer that did not come in time.
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
