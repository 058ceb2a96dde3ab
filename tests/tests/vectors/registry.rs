//! A small reference store on the core's `registry` functions: ordered maps of rows, nothing else.
//!
//! The core's `MemoryStore` is another store over the same decisions, and is replayed beside this
//! one. It cannot take its place: it creates on first use, has no operator's verbs (tombstones,
//! ranges that move, numbers that are taken away), and its refusals say how long, not until when.

use std::collections::BTreeMap;

use leafid_core::registry::{self, Acquired, Candidates, Namespace, TagRow, TagSpec, WorkerRow};
use leafid_core::{
    AcquireAsk, Code, Layout, Name, Range, Refusal, Release, RenewAsk, SegmentAsk, SegmentGrant,
    StoreTime, Token, WindowGrant,
};

/// Rows in memory. Its clock is told, and does not go back.
#[derive(Debug)]
pub struct Rows {
    id: Token,
    now: StoreTime,
    tags: BTreeMap<Name, TagRow>,
    namespaces: BTreeMap<Name, (Namespace, BTreeMap<u32, WorkerRow>)>,
}

impl Rows {
    pub fn new(id: Token) -> Rows {
        Rows { id, now: StoreTime::MIN, tags: BTreeMap::new(), namespaces: BTreeMap::new() }
    }

    pub fn set_clock(&mut self, now: StoreTime) {
        self.now = self.now.max(now);
    }

    /// Creates a tag, or makes it anew over its tombstone.
    pub fn create_tag(&mut self, tag: Name, spec: &TagSpec) -> Result<(), Refusal> {
        let row = TagRow::create(self.tags.get(&tag), spec)?;
        self.tags.insert(tag, row);
        Ok(())
    }

    pub fn delete_tag(&mut self, tag: Name) -> Result<(), Refusal> {
        let row = self.tags.get_mut(&tag).filter(|row| !row.deleted).ok_or(Code::TagUnknown)?;
        row.deleted = true;
        Ok(())
    }

    pub fn create_namespace(
        &mut self,
        name: Name,
        layout: Layout,
        workers: Option<Range>,
        max_window_ms: Option<u32>,
    ) -> Result<(), Refusal> {
        let namespace = Namespace::create(layout, workers, max_window_ms)?;
        self.namespaces.insert(name, (namespace, BTreeMap::new()));
        Ok(())
    }

    pub fn set_workers(
        &mut self,
        namespace: Name,
        workers: Range,
    ) -> Result<(), Refusal<StoreTime>> {
        self.space(namespace)?.0.workers = workers;
        Ok(())
    }

    /// Takes a number from its holder, who goes on to the end in hand.
    pub fn revoke(&mut self, namespace: Name, worker: u32) -> Result<(), Refusal<StoreTime>> {
        let (namespace, rows) = self.space(namespace)?;
        if !namespace.hands_out(worker) && !rows.contains_key(&worker) {
            return Err(Code::WorkerInvalid.into());
        }
        let row = rows.entry(worker).or_default();
        *row = row.revoked();
        Ok(())
    }

    pub fn lease_segment(&mut self, ask: &SegmentAsk) -> Result<SegmentGrant, Refusal<StoreTime>> {
        let row = self.tags.get_mut(&ask.tag).ok_or(Code::TagUnknown)?;
        let (after, answer) = registry::lease_segment(self.id, row, ask, self.now)?;
        *row = after;
        answer
    }

    pub fn acquire(&mut self, ask: &AcquireAsk) -> Result<WindowGrant, Refusal<StoreTime>> {
        let (id, now) = (self.id, self.now);
        let (namespace, rows) = self.space(ask.namespace)?;
        let find = |is_it: &dyn Fn(&WorkerRow) -> bool| {
            rows.iter().find(|(_, row)| is_it(row)).map(|(number, row)| (*number, *row))
        };
        let mine = find(&|row| row.key == Some(ask.request));
        let own = find(&|row| row.sticky && row.owner == ask.owner);
        let numbers = namespace.workers.start as u32..namespace.workers.end as u32;
        let row = |number| (number, rows.get(&number).copied().unwrap_or_default());
        let rested = namespace.longest_rested(numbers.map(row), &ask.owner, now);
        let candidates = Candidates { mine, own: [own, None], rested };
        let Acquired { worker, freed, grant } =
            registry::acquire(id, namespace, &candidates, ask, now)?;
        rows.extend([Some(worker), freed].into_iter().flatten());
        Ok(grant)
    }

    pub fn renew(&mut self, ask: &RenewAsk) -> Result<WindowGrant, Refusal<StoreTime>> {
        let (id, now) = (self.id, self.now);
        let (namespace, rows) = self.space(ask.namespace)?;
        let row = rows.get(&ask.worker).copied().unwrap_or_default();
        let (after, answer) = registry::renew(id, namespace, &row, ask, now)?;
        rows.insert(ask.worker, after);
        answer
    }

    pub fn release(&mut self, release: &Release) -> Result<(), Refusal<StoreTime>> {
        let id = self.id;
        let (_, rows) = self.space(release.namespace)?;
        let row = rows.get(&release.worker).copied().unwrap_or_default();
        rows.insert(release.worker, registry::release(id, &row, release)?);
        Ok(())
    }

    fn space(
        &mut self,
        name: Name,
    ) -> Result<(&mut Namespace, &mut BTreeMap<u32, WorkerRow>), Refusal> {
        let space = self.namespaces.get_mut(&name).ok_or(Code::NamespaceUnknown)?;
        Ok((&mut space.0, &mut space.1))
    }
}
