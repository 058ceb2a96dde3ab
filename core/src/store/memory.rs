//! A store in memory, of fixed size: for tests, examples and single processes.

use crate::protocol::registry::{
    self, Acquired, Candidates, Namespace, TagRow, TagSpec, Worker, WorkerRow,
};
use crate::protocol::{
    AcquireAsk, Failure, Release, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant,
};
use crate::store::Store;
use crate::values::{Code, Layout, Name, Range, Refusal, StoreTime, Token};

/// A store of at most `TAGS` tags and `NAMESPACES` namespaces of `WORKERS` numbers each, which it
/// creates on first use: a tag as [`TagRow::create`] does, a namespace with the layout of the ask
/// or [`Layout::LEAF`].
///
/// [`MemoryStore::set_clock`] sets its clock, which never goes back. It forgets its grants when it is
/// dropped, so it is no store for IDs that outlive the process. It decides as every other store
/// does, so a test can use it for the real one and set its clock:
///
/// ```
/// use leafid_core::{
///     Code, HostTime, Layout, MemoryStore, Name, Segment, SegmentConfig, Snowflake,
///     SnowflakeConfig, StoreTime, refill,
/// };
/// // Two namespaces at most, of three worker numbers each, and no tag.
/// let mut store: MemoryStore<0, 2, 3> = MemoryStore::new([1; 16]);
/// let noon = StoreTime::new(1_800_000_000_000);
/// store.set_clock(noon);
/// store.create_namespace(Name::namespace("pages")?, Layout::JS53, Some(60_000))?;
/// let mut ids = Snowflake::new(SnowflakeConfig::new("pages", "test")?, 7)?;
/// let now = HostTime::new(0);
/// refill(&mut ids, &mut store, || now, || [2; 16])?;
/// assert!(ids.next(now)? < 1 << 53);
///
/// // The machine sleeps for an hour. No test has to.
/// let later = now.plus(3_600_000);
/// assert_eq!(ids.next(later).unwrap_err().code, Code::WindowSpent);
/// store.set_clock(noon.plus(3_600_000));
/// refill(&mut ids, &mut store, || later, || [3; 16])?;
/// assert_eq!(Layout::JS53.decompose(ids.next(later)?)?.time, noon.plus(3_600_000));
///
/// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
/// let full = refill(&mut orders, &mut store, || later, || [4; 16]);
/// assert_eq!(full.unwrap_err().code, Code::Overloaded, "there is no room for a tag");
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Debug)]
pub struct MemoryStore<
    const TAGS: usize = 16,
    const NAMESPACES: usize = 2,
    const WORKERS: usize = 32,
> {
    id: Token,
    now: StoreTime,
    tags: [Option<(Name, TagRow)>; TAGS],
    namespaces: [Option<MemoryNamespace<WORKERS>>; NAMESPACES],
}

#[derive(Clone, Debug)]
struct MemoryNamespace<const WORKERS: usize> {
    name: Name,
    namespace: Namespace,
    rows: [WorkerRow; WORKERS],
}

impl<const TAGS: usize, const NAMESPACES: usize, const WORKERS: usize>
    MemoryStore<TAGS, NAMESPACES, WORKERS>
{
    /// Makes an empty store; `id` is 16 random bytes.
    pub fn new(id: [u8; 16]) -> Self {
        MemoryStore {
            id: Token::new(id),
            now: StoreTime::new(0),
            tags: [None; TAGS],
            namespaces: [const { None }; NAMESPACES],
        }
    }

    /// The store's id, which every answer contains.
    pub fn id(&self) -> Token {
        self.id
    }

    /// Sets the clock, in ms since 1970: call it before each ask, as the store has no other clock. It
    /// begins at 0, before the epoch of every preset, and never goes back.
    pub fn set_clock(&mut self, now: StoreTime) {
        self.now = self.now.max(now);
    }

    /// Creates a tag.
    ///
    /// # Errors
    /// As [`TagRow::create`], and `OVERLOADED` when there is no room for another.
    pub fn create_tag(&mut self, tag: Name, spec: &TagSpec) -> Result<(), Refusal> {
        let place = place(&mut self.tags, |(name, _)| *name == tag).ok_or(Code::Overloaded)?;
        let before = place.as_ref().map(|(_, row)| row);
        *place = Some((tag, TagRow::create(before, spec)?));
        Ok(())
    }

    /// Creates a namespace: the worker numbers from 0, as many as there are rows for.
    ///
    /// # Errors
    /// As [`Namespace::create`], `LAYOUT_MISMATCH` if it is there with another layout or longest window,
    /// and `OVERLOADED` when there is no room for another.
    pub fn create_namespace(
        &mut self,
        name: Name,
        layout: Layout,
        max_window_ms: Option<u32>,
    ) -> Result<(), Refusal> {
        let place = place(&mut self.namespaces, |space| space.name == name);
        let place = place.ok_or(Code::Overloaded)?;
        match place {
            Some(MemoryNamespace { namespace, .. })
                if namespace.layout == layout
                    && max_window_ms.is_none_or(|ms| ms == namespace.max_window_ms) =>
            {
                Ok(())
            }
            Some(_) => Err(Code::LayoutMismatch.into()),
            None => {
                let workers = Range::new(0, layout.workers().min(WORKERS as u64));
                let namespace = Namespace::create(layout, Some(workers), max_window_ms)?;
                let rows = [WorkerRow::default(); WORKERS];
                *place = Some(MemoryNamespace { name, namespace, rows });
                Ok(())
            }
        }
    }

    fn space(&mut self, name: Name) -> Result<&mut MemoryNamespace<WORKERS>, Refusal> {
        place(&mut self.namespaces, |space| space.name == name)
            .and_then(Option::as_mut)
            .ok_or(Refusal::new(Code::NamespaceUnknown))
    }
}

fn place<T>(places: &mut [Option<T>], is_it: impl Fn(&T) -> bool) -> Option<&mut Option<T>> {
    let taken = places.iter().position(|place| place.as_ref().is_some_and(&is_it));
    let index = taken.or_else(|| places.iter().position(Option::is_none))?;
    places.get_mut(index)
}

impl<const WORKERS: usize> MemoryNamespace<WORKERS> {
    fn row(&mut self, worker: u32) -> Option<&mut WorkerRow> {
        self.rows.get_mut(usize::try_from(worker).ok()?)
    }

    fn find(&self, is_it: impl Fn(&WorkerRow) -> bool) -> Option<Worker> {
        (0..).zip(self.rows).find(|(_, row)| is_it(row))
    }
}

impl<const TAGS: usize, const NAMESPACES: usize, const WORKERS: usize> Store
    for MemoryStore<TAGS, NAMESPACES, WORKERS>
{
    fn lease_segment(&mut self, ask: &SegmentAsk) -> Result<SegmentGrant, Failure> {
        let known = |entry: &Option<(Name, TagRow)>| entry.is_some_and(|(name, _)| name == ask.tag);
        if !self.tags.iter().any(known) {
            self.create_tag(ask.tag, &TagSpec::default()).map_err(failure)?;
        }
        let place = place(&mut self.tags, |(name, _)| *name == ask.tag).and_then(Option::as_mut);
        let (_, row) = place.ok_or(Code::TagUnknown)?;
        let (after, answer) =
            registry::lease_segment(self.id, row, ask, self.now).map_err(failure)?;
        *row = after;
        answer.map_err(failure)
    }

    fn acquire(&mut self, ask: &AcquireAsk) -> Result<WindowGrant, Failure> {
        let (id, now) = (self.id, self.now);
        if self.space(ask.namespace).is_err() {
            let layout = ask.layout.unwrap_or(Layout::LEAF);
            self.create_namespace(ask.namespace, layout, None).map_err(failure)?;
        }
        let space = self.space(ask.namespace).map_err(failure)?;
        let candidates = Candidates {
            mine: space.find(|row| row.key == Some(ask.request)),
            // One owner has at most one number here, as no other server decides at the same time.
            own: [space.find(|row| row.sticky && row.owner == ask.owner), None],
            rested: space.namespace.longest_rested((0..).zip(space.rows), &ask.owner, now),
        };
        let acquired = registry::acquire(id, &space.namespace, &candidates, ask, now);
        let Acquired { worker, freed, grant } = acquired.map_err(|refusal| Failure {
            code: refusal.code,
            retry_after_ms: refusal.until.map(|until| wait(until, now)),
        })?;
        for (number, row) in [Some(worker), freed].into_iter().flatten() {
            if let Some(place) = space.row(number) {
                *place = row;
            }
        }
        Ok(grant)
    }

    fn renew(&mut self, ask: &RenewAsk) -> Result<WindowGrant, Failure> {
        let (id, now) = (self.id, self.now);
        let space = self.space(ask.namespace).map_err(failure)?;
        let namespace = space.namespace;
        let mut absent = WorkerRow::default();
        let row = space.row(ask.worker).unwrap_or(&mut absent);
        let (after, answer) = registry::renew(id, &namespace, row, ask, now).map_err(failure)?;
        *row = after;
        answer.map_err(failure)
    }

    fn release(&mut self, release: &Release) -> Result<(), Failure> {
        let id = self.id;
        let space = self.space(release.namespace).map_err(failure)?;
        let mut absent = WorkerRow::default();
        let row = space.row(release.worker).unwrap_or(&mut absent);
        *row = registry::release(id, row, release).map_err(failure)?;
        Ok(())
    }
}

fn failure<T>(refusal: Refusal<T>) -> Failure {
    refusal.code.into()
}

fn wait(until: StoreTime, now: StoreTime) -> u32 {
    u32::try_from(until.since(now).max(0)).unwrap_or(u32::MAX)
}
