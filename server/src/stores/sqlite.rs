//! The embedded engine: one SQLite file, one writer thread that commits waiting requests together.

mod catalog;
mod create;
mod desk;
mod health;
mod job;
mod meta;
mod open;
mod queue;
mod rows;
mod segments;
mod windows;
mod workers;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use leafid_core::registry::{Namespace, TagRow, Worker};
use leafid_core::{
    AcquireAsk, Name, Release, RenewAsk, SegmentAsk, SegmentGrant, StoreTime, Token, WindowGrant,
};

use crate::clock::Clock;
use crate::problem::Problem;
use crate::store::{Answer, NamespaceChange, Page, Store, TagChange};

use desk::Desk;
use health::Health;
use job::Kind;
use writer::Writer;

pub use meta::Found;
pub use open::VERSION;

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// A store that is not there is made. Else it is an error: an empty database is what a lost one
    /// looks like.
    pub create: bool,
    /// Tags and namespaces are created on first use: for development only.
    pub first_use: bool,
    /// The id of a store that is made; random unless said.
    pub id: Option<Token>,
    /// A store that is made replaces a lost one that granted windows of at most so many ms: it
    /// grants none that begins before those are over, and no tag begins at 1 by default.
    pub replaces_lost_ms: Option<u32>,
    /// The wall clock is right, wherever it stands: what the store knows of a later time is
    /// lowered to it.
    pub believe_clock: bool,
    /// The only id that is opened.
    pub expect: Option<Token>,
}

/// A store in a SQLite file. Other processes may use the file at the same time: every decision is
/// read and written in one transaction that excludes them.
#[derive(Debug)]
pub struct SqliteStore {
    id: Token,
    path: PathBuf,
    found: Found,
    health: Arc<Health>,
    writer: Writer,
}

impl SqliteStore {
    /// Opens the file, or makes it where the options say so.
    ///
    /// # Errors
    /// `STORE_REFUSED` where the file's system or its settings cannot keep a promise,
    /// `SCHEMA_MISMATCH` for a file that is no store or another version's, `STORE_CHANGED` for
    /// another store than was expected, `STORE_UNAVAILABLE` when it is not there or cannot be
    /// opened.
    pub fn open(
        path: &Path,
        clock: Arc<dyn Clock>,
        options: Options,
    ) -> Result<SqliteStore, Problem> {
        let opened = open::open(path, clock.as_ref(), &options)?;
        let health = Arc::new(Health::of(path)?);
        let (id, found, shared) = (opened.store, opened.found, Arc::clone(&health));
        let writer = Writer::start(opened.connection, id, clock, options, shared)?;
        Ok(SqliteStore { id, path: path.to_owned(), found, health, writer })
    }

    /// Makes a store where none is.
    ///
    /// # Errors
    /// `STORE_REFUSED` if one is there, with what is in it; else as [`SqliteStore::open`].
    pub fn init(
        path: &Path,
        clock: Arc<dyn Clock>,
        options: Options,
    ) -> Result<SqliteStore, Problem> {
        let store = SqliteStore::open(path, clock, Options { create: true, ..options })?;
        match store.found.created {
            true => Ok(store),
            false => Err(create::exists(path, &meta::hex(store.id), &store.found)),
        }
    }

    /// What the file held when it was opened.
    pub fn found(&self) -> Found {
        self.found
    }
}

impl Store for SqliteStore {
    fn id(&self) -> Token {
        self.id
    }

    fn place(&self) -> String {
        format!("sqlite:{}", self.path.display())
    }

    fn now(&self) -> Answer<'_, StoreTime> {
        self.writer.submit(Kind::Take, |desk| Ok(desk.now))
    }

    fn ready(&self) -> Answer<'_, StoreTime> {
        Box::pin(async move {
            match self.health.recent() {
                Some(outcome) => outcome?,
                None => {
                    let beat = |desk: &Desk<'_>| Ok(meta::beat(&desk.rows, desk.now)?);
                    self.writer.submit(Kind::Take, beat).await?;
                }
            }
            self.now().await
        })
    }

    fn watch(&self) {
        // Said in the log by itself.
        let _ = self.health.gone();
    }

    fn lease_segment(&self, ask: SegmentAsk) -> Answer<'_, SegmentGrant> {
        self.writer.submit(Kind::Take, move |desk| segments::lease(desk, &ask))
    }

    fn acquire(&self, ask: AcquireAsk) -> Answer<'_, WindowGrant> {
        self.writer.submit(Kind::Acquire, move |desk| windows::acquire(desk, &ask))
    }

    fn renew(&self, ask: RenewAsk) -> Answer<'_, WindowGrant> {
        self.writer.submit(Kind::Take, move |desk| windows::renew(desk, &ask))
    }

    fn release(&self, release: Release) -> Answer<'_, ()> {
        self.writer.submit(Kind::Change, move |desk| windows::release(desk, &release))
    }

    fn revoke(&self, namespace: Name, worker: u32) -> Answer<'_, ()> {
        self.writer.submit(Kind::Change, move |desk| windows::revoke(desk, &namespace, worker))
    }

    fn tag(&self, tag: Name) -> Answer<'_, TagRow> {
        self.writer.submit(Kind::Take, move |desk| segments::tag(desk, &tag))
    }

    fn tags(&self, page: Page<Name>) -> Answer<'_, Vec<(Name, TagRow)>> {
        self.writer.submit(Kind::Take, move |desk| Ok(desk.rows.tags(page)?))
    }

    fn put_tag(&self, tag: Name, change: TagChange) -> Answer<'_, TagRow> {
        self.writer.submit(Kind::Change, move |desk| segments::put(desk, &tag, &change))
    }

    fn delete_tag(&self, tag: Name) -> Answer<'_, ()> {
        self.writer.submit(Kind::Change, move |desk| segments::delete(desk, &tag))
    }

    fn namespace(&self, namespace: Name) -> Answer<'_, Namespace> {
        self.writer.submit(Kind::Take, move |desk| catalog::namespace(desk, &namespace))
    }

    fn namespaces(&self, page: Page<Name>) -> Answer<'_, Vec<(Name, Namespace)>> {
        self.writer.submit(Kind::Take, move |desk| Ok(desk.rows.namespaces(page)?))
    }

    fn put_namespace(&self, namespace: Name, change: NamespaceChange) -> Answer<'_, Namespace> {
        self.writer.submit(Kind::Change, move |desk| catalog::put(desk, &namespace, &change))
    }

    fn workers(&self, namespace: Name, page: Page<u32>) -> Answer<'_, Vec<Worker>> {
        self.writer.submit(Kind::Take, move |desk| {
            catalog::namespace(desk, &namespace)?;
            Ok(desk.rows.workers(&namespace, page)?)
        })
    }
}
