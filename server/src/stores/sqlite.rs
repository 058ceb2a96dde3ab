//! The embedded engine: one SQLite file, one writer thread that commits waiting requests together.

mod catalog;
mod desk;
mod job;
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
    AcquireAsk, Millis, Name, Release, RenewAsk, SegmentAsk, SegmentGrant, Token, WindowGrant,
};

use crate::clock::Clock;
use crate::problem::Problem;
use crate::store::{Answer, NamespaceChange, Page, Store, TagChange};

use job::Kind;
use writer::Writer;

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Tags and namespaces are created on first use: for development only.
    pub first_use: bool,
    /// The id of a store that is made; random unless said.
    pub id: Option<Token>,
}

/// A store in a SQLite file. Other processes may use the file at the same time: every decision is
/// read and written in one transaction that excludes them.
#[derive(Debug)]
pub struct SqliteStore {
    id: Token,
    path: PathBuf,
    writer: Writer,
}

impl SqliteStore {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    /// `STORE_REFUSED` where the file's system or its settings cannot keep a promise,
    /// `SCHEMA_MISMATCH` for a file that is no store or a newer version's, `STORE_UNAVAILABLE`
    /// when it cannot be opened.
    pub fn open(
        path: &Path,
        clock: Arc<dyn Clock>,
        options: Options,
    ) -> Result<SqliteStore, Problem> {
        let opened = open::open(path, clock.as_ref(), options.id)?;
        let writer = Writer::start(opened.connection, opened.store, clock, options)?;
        Ok(SqliteStore { id: opened.store, path: path.to_owned(), writer })
    }
}

impl Store for SqliteStore {
    fn id(&self) -> Token {
        self.id
    }

    fn place(&self) -> String {
        format!("sqlite:{}", self.path.display())
    }

    fn now(&self) -> Answer<'_, Millis> {
        self.writer.submit(Kind::Take, |desk| Ok(desk.now))
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
