//! Databases across a network: how a store in one is opened or made.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use leafid_core::{Code, StoreTime, Token};
use tokio::time::timeout;

use super::BackEnd;
use super::clock::DatabaseClock;
use super::link::{Broken, Link};
use super::opening::{self, NewStore, Options, Terms, Unopened, apart};
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

    /// Looks at the server's version and settings; warns of what is let pass. The inner error is for an
    /// operator.
    fn examine(
        &mut self,
        allow_unsafe: bool,
    ) -> impl Future<Output = Result<Result<(), Problem>, Broken>> + Send;

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
    /// What to name instead of a place that has one.
    const OTHER: &'static str;
    /// How long a connection may take to be made and looked at.
    const CONNECTING: Duration;
    /// How long an exchange may take.
    const EXCHANGE: Duration;
    /// Examining writes something, which is not done before it is known that the place is a store's.
    const EXAMINING_WRITES: bool;

    /// What the store says of itself, if it is there; within it, that another program wrote there.
    fn meta(
        client: &mut Self::Client,
        place: &str,
    ) -> impl Future<Output = Result<Result<Option<Meta>, Problem>, Broken>> + Send;

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

    /// Reads what there is, and looks whether the clock fits it.
    fn fill(
        opened: Opened<Self>,
        believe_clock: bool,
    ) -> impl Future<Output = Result<Self, Unopened>>;

    /// What a query of an application gives, asked for `--from-max`.
    ///
    /// # Errors
    /// `REQUEST_INVALID` where it has no tables, or the query gives no number.
    fn greatest(_: &Address<Self>, place: &str, _sql: &str) -> Result<Option<i64>, Problem> {
        let detail = format!(
            "--from-max asks a database that has tables, and {place} has none: add --in postgres://…, \
             mysql://… or sqlite:PATH"
        );
        Err(Problem::new(Code::RequestInvalid, detail))
    }

    /// Gives the store another id.
    ///
    /// # Errors
    /// `REQUEST_INVALID` without tables; else as [`open`].
    fn rename(_: &Address<Self>, place: &str, _id: Token) -> Result<(), Unopened> {
        let detail = format!(
            "{place} cannot be given another id: --new-id is for a file, PostgreSQL and MySQL; make a new \
             store instead: leafid init"
        );
        Err(Problem::new(Code::RequestInvalid, detail).into())
    }
}

/// Where a back end's database is, and as whom it is used.
pub type Address<B> = <<B as Far>::Client as Client>::Address;

/// A store that was found or made, of which nothing was read yet.
pub struct Opened<B: Far> {
    /// The connection to it, without one that is used.
    pub link: Link<B>,
    /// The connection by which it was opened.
    pub client: B::Client,
    /// Whether it was made.
    pub created: bool,
    /// Whose clock counts.
    pub clock: DatabaseClock,
}

/// Opens the store in a database, or makes it where the terms say so.
///
/// # Errors
/// `STORE_UNAVAILABLE` where it is not reached, `STORE_UNKNOWN` where it is not there, `UNAUTHORIZED`
/// and `FORBIDDEN` where the database does not let us in, `STORE_REFUSED` where a setting or a clock
/// cannot keep a promise, `SCHEMA_MISMATCH` for what another program or version wrote, `STORE_CHANGED`
/// for another store than was expected.
pub fn open<B: Far>(
    address: &Address<B>,
    place: &str,
    ticks: Arc<dyn Clock>,
    terms: &Terms,
) -> Result<B, Unopened> {
    apart(|| async {
        let told = |broken: Broken| broken.unopened::<B>(place);
        let mut client = reach::<B>(address, place).await?;
        if !B::EXAMINING_WRITES {
            examine::<B>(&mut client, place, terms).await?;
        }
        let mut meta = look::<B>(&mut client, place).await?;
        // A new store would be another than the one that is expected.
        let may_create = terms.options.create && terms.options.expect.is_none();
        if meta.is_none() && !may_create {
            return Err(opening::not_there(place, B::NOTHING).into());
        }
        if B::EXAMINING_WRITES {
            examine::<B>(&mut client, place, terms).await?;
        }
        let clock = DatabaseClock::new(terms.source.clone(), ticks);
        if let Some(now) = B::told(&mut client).await.map_err(told)? {
            clock.learn(now);
        }
        let mut created = false;
        if meta.is_none() {
            let new = terms.options.new_store(clock.wall())?;
            let made = timeout(MAKING, B::make(&mut client, place, &new)).await;
            created = made.map_err(|_| told(late(MAKING)))??;
            meta = look::<B>(&mut client, place).await?;
        }
        let meta = meta.ok_or_else(|| opening::not_there(place, B::NOTHING))?;
        let meta = of_this_version::<B>(meta, place)?;
        terms.options.refuse_other(place, meta.store)?;
        let link = Link::new(address.clone(), place.to_owned(), meta, terms.allow_unsafe);
        let opened = Opened { link, client, created, clock };
        B::fill(opened, terms.options.believe_clock).await
    })?
}

/// Makes a store where none is.
///
/// # Errors
/// `STORE_REFUSED` if one is there, with what is in it; else as [`open`].
pub fn create<B: Far>(
    address: &Address<B>,
    place: &str,
    ticks: Arc<dyn Clock>,
    terms: &Terms,
) -> Result<B, Unopened> {
    let options = Options { create: true, ..terms.options };
    let opened: B = open(address, place, ticks, &Terms { options, ..terms.clone() })?;
    let facts = opened.facts();
    match facts.found.created {
        true => Ok(opened),
        false => Err(opening::exists(place, facts.store, &facts.found, B::OTHER).into()),
    }
}

/// Connects to a database.
///
/// # Errors
/// As [`open`].
pub async fn reach<B: Far>(address: &Address<B>, place: &str) -> Result<B::Client, Unopened> {
    let connected = within::<B, _>(B::Client::connect(address)).await;
    connected.map_err(|broken| broken.unopened::<B>(place))
}

async fn examine<B: Far>(
    client: &mut B::Client,
    place: &str,
    terms: &Terms,
) -> Result<(), Unopened> {
    let examined = within::<B, _>(client.examine(terms.allow_unsafe)).await;
    Ok(examined.map_err(|broken| broken.unopened::<B>(place))??)
}

/// What the store says of itself, if it is there.
///
/// # Errors
/// As [`open`].
pub async fn look<B: Far>(client: &mut B::Client, place: &str) -> Result<Option<Meta>, Unopened> {
    let found = within::<B, _>(B::meta(client, place)).await;
    Ok(found.map_err(|broken| broken.unopened::<B>(place))??)
}

async fn within<B: Far, T>(done: impl Future<Output = Result<T, Broken>>) -> Result<T, Broken> {
    timeout(B::CONNECTING, done).await.unwrap_or_else(|_| Err(late(B::CONNECTING)))
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
