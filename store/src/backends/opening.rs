//! How a store is opened, with what options, and what it contained then: shared by all back ends.

use std::fmt::Display;

use leafid_core::registry::Namespace;
use leafid_core::{Code, Layout, Name, StoreTime, Token};

use super::{NamespaceRow, Write};
use crate::problem::Problem;
use crate::{clock, random, utc};
use leafid_turn::hex;
use leafid_turn::namespaces::floor_tick;

/// How far a lost store's clock may have been ahead of its replacement's.
const CLOCKS_DIFFER_MS: i64 = 5_000;

/// How a store is opened.
#[derive(Clone, Default)]
pub struct Options {
    /// Make a missing store. Without this it is an error: a lost store looks like an empty database.
    pub create: bool,
    /// Make a store; an existing one is an error.
    pub new: bool,
    /// Create tags and namespaces on first use: for development only.
    pub first_use: bool,
    /// The id of a new store; random if `None`.
    pub id: Option<Token>,
    /// A new store replaces a lost one that granted windows of at most this many ms: it grants none
    /// that begins before those are over, and no tag begins at 1 by default.
    pub replaces_lost_ms: Option<u32>,
    /// Trust the wall clock, whatever it shows: later times in the store are lowered to it.
    pub believe_clock: bool,
    /// Open only a store with this id.
    pub expect: Option<Token>,
    /// Allow settings of a database that can lose confirmed writes.
    pub allow_unsafe: bool,
    /// Use the given clock's time even if the database has one that its servers share; for tests.
    pub own_clock: bool,
}

/// The first contents of a new store.
pub struct NewStore {
    /// Its id.
    pub id: Token,
    /// When it is made.
    pub now: StoreTime,
    /// The floor below which it grants no window; 0 unless it replaces a lost store.
    pub floor: StoreTime,
    /// Its namespace `default`.
    pub namespace: (Name, Namespace),
}

impl Options {
    /// Whether a missing store may be made: never if a certain id is expected.
    pub(crate) fn may_create(&self) -> bool {
        (self.create || self.new) && self.expect.is_none()
    }

    /// The contents of a store that is made now.
    ///
    /// # Errors
    /// `INTERNAL` without randomness.
    pub fn new_store(&self, now: StoreTime) -> Result<NewStore, Problem> {
        let id = self.id.map_or_else(|| random::bytes().map(Token::new), Ok)?;
        let floor = self.replaces_lost_ms.map_or(StoreTime::new(0), |max_window_ms| {
            now.plus(i64::from(max_window_ms)).plus(CLOCKS_DIFFER_MS)
        });
        let usual = Namespace::create(Layout::LEAF, None, None)?;
        let row = Namespace { floor: floor_tick(&usual.layout, floor), ..usual };
        Ok(NewStore { id, now, floor, namespace: (Name::namespace("default")?, row) })
    }

    /// Refuses a store other than the expected one.
    ///
    /// # Errors
    /// `STORE_CHANGED`.
    pub(crate) fn refuse_other(&self, place: &str, store: Token) -> Result<(), Problem> {
        let Some(expected) = self.expect.filter(|expected| *expected != store) else {
            return Ok(());
        };
        let detail = format!(
            "{place} is store {}, not {} as expected; use the right one, or leave out --expect-store",
            hex(store),
            hex(expected)
        );
        Err(Problem::new(Code::StoreChanged, detail))
    }

    /// Refuses an existing store if a new one is wanted; `other` is what to name instead, such as another
    /// `file`.
    ///
    /// # Errors
    /// `STORE_REFUSED`, with the contents of the store.
    pub(crate) fn refuse_old(
        &self,
        place: &str,
        store: Token,
        found: &Found,
        other: &str,
    ) -> Result<(), Problem> {
        if !self.new || found.created {
            return Ok(());
        }
        let detail = format!(
            "{place} is already a store: id {}, {found}; serve it: leafid serve --store {place}, or use \
             another {other}",
            hex(store)
        );
        Err(Problem::new(Code::StoreRefused, detail))
    }
}

impl NewStore {
    /// The write that makes its namespace.
    pub fn write(&self) -> Write {
        let (namespace, row) = self.namespace;
        let after = NamespaceRow { namespace: row, used_until: row.workers.start };
        Write::Namespace { namespace, before: None, after }
    }
}

/// Why a store was not opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Unopened {
    /// The reason.
    pub problem: Problem,
    /// Whether a later try may succeed, as the database was only not reached.
    pub may_pass: bool,
}

impl From<Problem> for Unopened {
    fn from(problem: Problem) -> Unopened {
        Unopened { problem, may_pass: false }
    }
}

impl From<Unopened> for Problem {
    fn from(unopened: Unopened) -> Problem {
        unopened.problem
    }
}

/// Runs a future on a thread and a runtime of its own, so that it works inside any runtime; a connection
/// that it makes ends with them.
///
/// # Errors
/// `INTERNAL` if there is no runtime, or the future panicked.
pub fn apart<F, T>(run: impl FnOnce() -> F + Send) -> Result<T, Unopened>
where
    F: Future<Output = T>,
    T: Send,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let cannot = |why: String| Unopened::from(Problem::new(Code::Internal, why));
    let runtime = runtime.map_err(|error| cannot(format!("no runtime: {error}")))?;
    // The runtime is dropped on that thread, too: inside another runtime that would panic.
    std::thread::scope(|scope| scope.spawn(move || runtime.block_on(run())).join())
        .map_err(|_| cannot("the opening of the store panicked".to_owned()))
}

/// The contents of a store when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Whether the store was made by this opening.
    pub created: bool,
    /// How many tags it has, not counting deleted ones.
    pub tags: u32,
    /// How many namespaces it has.
    pub namespaces: u32,
    /// When the last window was granted, if one ever was.
    pub last_grant: Option<StoreTime>,
    /// When it was last known to be in use, to the minute.
    pub last_used: Option<StoreTime>,
    /// The floor below which it grants no window, if it replaces a lost store.
    pub floor: Option<StoreTime>,
    /// The longest window of any namespace, in ms.
    pub longest_ms: u32,
}

impl Found {
    /// Describes an existing store by its numbers of tags and namespaces and its longest window, its times of
    /// the last grant and of the last use and its floor (0 for none).
    pub fn of(
        [tags, namespaces, longest_ms]: [u32; 3],
        [granted, beat, floor]: [StoreTime; 3],
    ) -> Found {
        let some = |at: StoreTime| (at.get() > 0).then_some(at);
        let (last_grant, last_used) = (some(granted), some(granted.max(beat)));
        let (created, floor) = (false, some(floor));
        Found { created, tags, namespaces, last_grant, last_used, floor, longest_ms }
    }

    /// The time of the last grant, or 0.
    pub(crate) fn granted(&self) -> StoreTime {
        self.last_grant.unwrap_or(StoreTime::new(0))
    }

    /// Refuses a clock that strays from the last grant and the last use; with `believe` it only tells the
    /// time that the clock strays from.
    ///
    /// # Errors
    /// `STORE_REFUSED` with both times.
    pub(crate) fn judge_clock(
        &self,
        name: &str,
        source: StoreTime,
        believe: bool,
    ) -> Result<Option<StoreTime>, Problem> {
        let used = self.last_used.unwrap_or(StoreTime::new(0));
        match clock::strays(source, self.granted(), used) {
            Some(known) if !believe => Err(clock::strayed(name, source, known)),
            known => Ok(known),
        }
    }

    /// Lowers the known times to a clock that is believed although it strays from `known`, and logs how many
    /// times of grants were `lowered` in the store.
    pub(crate) fn believe_clock(&mut self, source: StoreTime, known: StoreTime, lowered: u64) {
        for time in [&mut self.last_grant, &mut self.last_used] {
            *time = time.map(|time| time.min(source));
        }
        let (source, known) = (utc::text(source), utc::text(known));
        tracing::warn!(source, known, lowered, "the clock is believed; numbers stay reserved");
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plural = |count: u32| if count == 1 { "" } else { "s" };
        write!(f, "{} tag{}, ", self.tags, plural(self.tags))?;
        write!(f, "{} namespace{}, ", self.namespaces, plural(self.namespaces))?;
        match self.last_grant {
            Some(at) => write!(f, "last window granted {}", utc::text(at))?,
            None => f.write_str("no window granted yet")?,
        }
        if let Some(at) = self.last_used {
            write!(f, ", last used {}", utc::text(at))?;
        }
        Ok(())
    }
}

/// The refusal for a place without a store (`what`: `does not exist`, `has no tables`).
pub(crate) fn not_there(place: &str, what: &str) -> Problem {
    let detail = format!(
        "{place} {what}; to create a new store there: leafid init --store {place}; if there was one and it \
         is lost, use instead: leafid init --replaces-lost --store {place}, as a new store would hand out \
         again what is in use"
    );
    Problem::new(Code::StoreUnknown, detail)
}

/// The refusal for `tables` or `keys` of another program version.
pub(crate) fn other_version(
    place: &str,
    what: &str,
    version: impl Display,
    known: impl Display,
) -> Problem {
    let detail = format!(
        "{place} has {what} of version {version}, this program knows {known}; use the version of \
         leafid that wrote them"
    );
    Problem::new(Code::SchemaMismatch, detail)
}

/// The refusal for another program's data; `own` is what to give leafid instead, such as a `file`.
pub(crate) fn foreign(place: &str, what: &str, own: &str) -> Problem {
    let detail = format!("{place} is not a leafid store: {what}; give leafid a {own} of its own");
    Problem::new(Code::SchemaMismatch, detail)
}
