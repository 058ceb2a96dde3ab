//! The store's side: the registry's decisions, and the in-memory store that uses them.

use leafid_core::registry::{
    self, Acquired, Answer, Candidates, Look, Namespace, Search, TagRow, TagSpec, Worker, WorkerRow,
};
use leafid_core::{
    AcquireAsk, Ask, Failure, Grant, HostTime, Layout, MemoryStore, Name, Range, Refusal, Release,
    RenewAsk, Segment, SegmentAsk, SegmentGrant, Snowflake, Store, StoreTime, Token, WindowGrant,
    refill,
};

verbs! {
    tag_row_create(before: &Option<TagRow>, spec: &TagSpec) -> Result<TagRow, Refusal> {
        TagRow::create(before.as_ref(), spec)
    }
    tag_row_with(row: &TagRow, spec: &TagSpec) -> Result<TagRow, Refusal> { row.with(spec) }
    tag_row_advance(row: &TagRow, to: &u64) -> Result<TagRow, Refusal> { row.advance(*to) }
    tag_row_end(row: &TagRow) -> u64 { row.end() }
    tag_row_remaining(row: &TagRow) -> u64 { row.remaining() }
    namespace_create(layout: &Layout, workers: &Option<Range>, max_window_ms: &Option<u32>)
        -> Result<Namespace, Refusal> { Namespace::create(*layout, *workers, *max_window_ms) }
    worker_row_rests_until(row: &WorkerRow, floor: &u64) -> u64 { row.rests_until(*floor) }
    worker_row_is_kept_from(row: &WorkerRow, owner: &Name, now: &StoreTime) -> bool {
        row.is_kept_from(owner, *now)
    }
    worker_row_is_free(row: &WorkerRow, floor: &u64, owner: &Name, now: &StoreTime, tick: &u64)
        -> bool { row.is_free(*floor, owner, *now, *tick) }
    namespace_hands_out(of: &Namespace, worker: &u32) -> bool { of.hands_out(*worker) }
    search_next(search: &Search, of: &Namespace, owner: &Name, now: &StoreTime) -> Look {
        search.next(of, owner, *now)
    }
    search_used_until(search: &Search, given: &u32) -> u64 { search.used_until(*given) }
    namespace_longest_rested(of: &Namespace, rows: &[Worker; 3], owner: &Name, now: &StoreTime)
        -> Option<Worker> { of.longest_rested(rows.iter().copied(), owner, *now) }
    worker_row_revoked(row: &WorkerRow) -> WorkerRow { row.revoked() }

    registry_fence_time(last: &StoreTime, longest_ms: &u32) -> StoreTime {
        registry::fence_time(*last, *longest_ms)
    }
    tag_row_is_stopped(row: &TagRow) -> bool { row.is_stopped() }
    tag_row_raised(row: &TagRow, bound: &u64) -> Option<TagRow> { row.raised(*bound) }
    worker_row_raised(row: &WorkerRow, granted: &StoreTime, end: &u64, young: &u64)
        -> Option<WorkerRow> { row.raised(*granted, *end, *young) }
    tag_row_fenced(row: &TagRow, noted: &u64) -> TagRow { row.fenced(*noted) }
    namespace_fenced(of: &Namespace, last: &StoreTime, noted: &u64) -> Namespace {
        of.fenced(*last, *noted)
    }

    registry_lease_segment(store: &Token, row: &TagRow, ask: &SegmentAsk, now: &StoreTime)
        -> Result<(TagRow, Answer<SegmentGrant>), Refusal<StoreTime>> {
            registry::lease_segment(*store, row, ask, *now)
        }
    registry_acquire(store: &Token, of: &Namespace, rows: &Candidates, ask: &AcquireAsk,
        now: &StoreTime) -> Result<Acquired, Refusal<StoreTime>> {
            registry::acquire(*store, of, rows, ask, *now)
        }
    registry_renew(store: &Token, of: &Namespace, row: &WorkerRow, ask: &RenewAsk, now: &StoreTime)
        -> Result<(WorkerRow, Answer<WindowGrant>), Refusal<StoreTime>> {
            registry::renew(*store, of, row, ask, *now)
        }
    registry_release(store: &Token, row: &WorkerRow, release: &Release)
        -> Result<WorkerRow, Refusal<StoreTime>> { registry::release(*store, row, release) }

    segment_ask_new(tag: &Name, request: &Token) -> SegmentAsk { SegmentAsk::new(*tag, *request) }
    acquire_ask_new(of: &Name, request: &Token, owner: &Name) -> AcquireAsk {
        AcquireAsk::new(*of, *request, *owner)
    }
    renew_ask_new(of: &Name, request: &Token, acquired: &WindowGrant) -> RenewAsk {
        RenewAsk::new(*of, *request, acquired)
    }
    release_new(of: &Name, acquired: &WindowGrant) -> Release { Release::new(*of, acquired) }

    memory_new(id: &[u8; 16]) -> MemoryStore { MemoryStore::new(*id) }
    memory_id(store: &MemoryStore) -> Token { store.id() }
    memory_set_clock(store: &mut MemoryStore, now: &StoreTime) -> () { store.set_clock(*now) }
    memory_create_tag(store: &mut MemoryStore, tag: &Name, spec: &TagSpec)
        -> Result<(), Refusal> { store.create_tag(*tag, spec) }
    memory_create_namespace(store: &mut MemoryStore, name: &Name, layout: &Layout,
        max_window_ms: &Option<u32>) -> Result<(), Refusal> {
            store.create_namespace(*name, *layout, *max_window_ms)
        }
    memory_ask(store: &mut MemoryStore, ask: &Ask) -> Result<Grant, Failure> { store.ask(ask) }
    memory_release(store: &mut MemoryStore, release: &Release) -> Result<(), Failure> {
        store.release(release)
    }
    refill_segment(ids: &mut Segment, store: &mut MemoryStore, now: &HostTime, with: &[u8; 16])
        -> Result<bool, Refusal> { refill(ids, store, || *now, || *with) }
    refill_snowflake(ids: &mut Snowflake, store: &mut MemoryStore, now: &HostTime, with: &[u8; 16])
        -> Result<bool, Refusal> { refill(ids, store, || *now, || *with) }
}
