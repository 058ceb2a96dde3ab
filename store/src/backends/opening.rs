//! How a database is opened, and what it held then: the same for all back ends.

use std::fmt::Display;

use leafid_core::registry::Namespace;
use leafid_core::{Code, Layout, Name, StoreTime, Token};

use super::clock::Source;
use super::{NamespaceRow, Write};
use crate::problem::Problem;
use crate::{clock, random, utc};
use leafid_turn::hex;
use leafid_turn::namespaces::floor_tick;

/// How far the clock of a lost store may have been ahead of the next one's.
const CLOCKS_DIFFER_MS: i64 = 5_000;

/// How a store is opened.
#[derive(Clone, Default)]
pub struct Options {
    /// A store that is not there is made. Else it is an error: an empty database is what a lost one
    /// looks like.
    pub create: bool,
    /// A store is made, and it is an error if one is there.
    pub new: bool,
    /// Tags and namespaces are created on first use: for development only.
    pub first_use: bool,
    /// The id of a store that is made; random unless said.
    pub id: Option<Token>,
    /// A store that is made replaces a lost one that granted windows of at most this many ms: it
    /// grants none that begins before those are over, and no tag begins at 1 by default.
    pub replaces_lost_ms: Option<u32>,
    /// The wall clock is right, wherever it stands: what the store knows of a later time is
    /// lowered to it.
    pub believe_clock: bool,
    /// The only id that is opened.
    pub expect: Option<Token>,
    /// Settings of a database that can lose what was answered are let pass.
    pub allow_unsafe: bool,
    /// Whose clock counts over a database.
    pub source: Source,
}

/// What a new store begins with.
pub struct NewStore {
    /// Its id.
    pub id: Token,
    /// When it is made.
    pub now: StoreTime,
    /// Before when it grants no window; 0 unless it replaces a lost one.
    pub floor: StoreTime,
    /// Its namespace `default`.
    pub namespace: (Name, Namespace),
}

impl Options {
    /// Whether a store is made where none is: one that is expected would be another.
    pub(crate) fn may_create(&self) -> bool {
        (self.create || self.new) && self.expect.is_none()
    }

    /// A store that is made now.
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

    /// Refuses another store than the one that is expected.
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

    /// Refuses a store that was there where one was to be made; `other` is what to name instead: another
    /// `file`.
    ///
    /// # Errors
    /// `STORE_REFUSED`, with what is in it.
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
    /// What makes its namespace.
    pub fn write(&self) -> Write {
        let (namespace, row) = self.namespace;
        let after = NamespaceRow { namespace: row, used_until: row.workers.start };
        Write::Namespace { namespace, before: None, after }
    }
}

/// Why a store was not opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Unopened {
    /// What is wrong.
    pub problem: Problem,
    /// The database was not reached: it may be there later.
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

/// Runs it on a thread and a runtime of its own, whatever runs here: the connection that it makes
/// belongs to them and ends with them.
///
/// # Errors
/// `INTERNAL` where there is no runtime, or it panicked.
pub fn apart<F, T>(run: impl FnOnce() -> F + Send) -> Result<T, Unopened>
where
    F: Future<Output = T>,
    T: Send,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let cannot = |why: String| Unopened::from(Problem::new(Code::Internal, why));
    let runtime = runtime.map_err(|error| cannot(format!("no runtime: {error}")))?;
    // The runtime ends there as well: it must not be dropped where another runs.
    std::thread::scope(|scope| scope.spawn(move || runtime.block_on(run())).join())
        .map_err(|_| cannot("the opening of the store panicked".to_owned()))
}

/// What a store held when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Whether the store was made by this opening.
    pub created: bool,
    /// How many tags it has, without those that were deleted.
    pub tags: u32,
    /// How many namespaces it has.
    pub namespaces: u32,
    /// When the last window was granted, if one ever was.
    pub last_grant: Option<StoreTime>,
    /// When it was last known to be in use, within an hour.
    pub last_used: Option<StoreTime>,
    /// Before when it grants no window, since it replaces a lost store.
    pub floor: Option<StoreTime>,
    /// How far the database had come, by its own count of writings: of two copies the one with the
    /// lower count lacks something.
    pub position: u64,
}

impl Found {
    /// Of a store that was there, by the numbers of tags and namespaces, by three times (of the last grant, of the last writing of
    /// the time, before when no window is granted; 0 for none), and by the position.
    pub fn of(
        [tags, namespaces]: [u32; 2],
        [granted, beat, floor]: [StoreTime; 3],
        position: u64,
    ) -> Found {
        let some = |at: StoreTime| (at.get() > 0).then_some(at);
        let (last_grant, last_used) = (some(granted), some(granted.max(beat)));
        let (created, floor) = (false, some(floor));
        Found { created, tags, namespaces, last_grant, last_used, floor, position }
    }

    /// The time of the last grant; 0 for none.
    pub(crate) fn granted(&self) -> StoreTime {
        self.last_grant.unwrap_or(StoreTime::new(0))
    }

    /// Refuses a clock that strays from the last grant and the last use; the time that it strays from where
    /// it is believed all the same.
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

    /// A clock is believed which strays from a time that was known, and so many times of grants were lowered
    /// to it.
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
        write!(f, ", position {}", self.position)
    }
}

/// A place without a store (`does not exist`, `has no tables`), where none is to be made.
pub(crate) fn not_there(place: &str, what: &str) -> Problem {
    let detail = format!(
        "{place} {what}; to create a new store there: leafid init --store {place}; if there was one and it \
         is lost, use instead: leafid init --replaces-lost --store {place}, as a new store would hand out \
         again what is in use"
    );
    Problem::new(Code::StoreUnknown, detail)
}

/// What a store keeps, its `tables` or `keys`, in a version that is not this program's.
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

/// What another program has written where a store is to be; `own` is what to give leafid instead.
pub(crate) fn foreign(place: &str, what: &str, own: &str) -> Problem {
    let detail = format!("{place} is not a leafid store: {what}; give leafid a {own} of its own");
    Problem::new(Code::SchemaMismatch, detail)
}
