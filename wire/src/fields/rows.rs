//! The table of a store's rows, and of the values in them.

use leafid_core::registry::{
    DEFAULT_MAX_WINDOW_MS, Namespace, NamespaceSpec, TagRow, TagSpec, Worker, WorkerRow,
};
use leafid_core::{Layout, Name, Range, Refusal, Stats, StoreTime};

use super::codec::{
    Big, Codec, Count, Epoch, First, Flag, Id, LayoutObject, LongestWindow, Moment, OptionalOwner,
    SequenceWidth, TickLength, TimeWidth, WorkerBound, WorkerWidth, Workers, fields,
};
use super::{FieldForm, FieldReader, FieldSchema, FieldWriter, Fields, Presence, need};

fields! { Layout, |layout| {
    /// Where time begins, in ms since 1970.
    required epoch_ms: Epoch = layout.epoch_ms();
    /// How long a tick is, in ms.
    required tick_ms: TickLength = layout.tick_ms();
    /// The width of the time; all three together have at most 63 bits.
    required time_bits: TimeWidth = layout.time_bits();
    /// The width of the worker number.
    required worker_bits: WorkerWidth = layout.worker_bits();
    /// The width of the sequence.
    required sequence_bits: SequenceWidth = layout.sequence_bits();
} => Layout::new(epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits)? }

fields! {
/// Worker numbers, as small numbers.
Range, |range| {
    /// The first one.
    required start: WorkerBound = range.start;
    /// One more than the last one.
    required end: WorkerBound = range.end;
} => Range::new(start, end) }

fields! { TagRow, |row| {
    /// The next number that was never granted.
    required max_id: Big = row.max_id;
    /// How many numbers a lease takes unless it says.
    required step: Count = row.step;
    /// How many a lease takes at most.
    required max_step: Count = row.max_step;
    /// A tombstone: it keeps the position.
    defaulted(false) deleted: Flag = row.deleted;
    /// The upper end: one more than the last number that may be granted. Absent: the line's end.
    optional until: Big = row.until;
    /// The highest end that a holder claimed to have while the row stood below: nothing is leased while
    /// it lies above `max_id`. Absent where nothing was claimed since the last advance.
    optional claimed_until: Big = row.claimed_until;
} => TagRow { max_id, step, max_step, deleted, until, claimed_until } }

fields! { TagSpec, |spec| {
    /// The first number; only when a tag is created, and then 1 if absent.
    optional from: First = spec.from;
    /// How many numbers a lease takes unless it says.
    optional step: Count = spec.step;
    /// How many a lease takes at most.
    optional max_step: Count = spec.max_step;
    /// The upper end: one more than the last number that may be granted, or 2^63 - 1 for none.
    optional until: Big = spec.until;
} => TagSpec { from, step, max_step, until } }

fields! { Namespace, |space| {
    /// The layout of all its IDs.
    required layout: LayoutObject = space.layout;
    /// The longest window, in ms.
    defaulted(DEFAULT_MAX_WINDOW_MS) max_window_ms: LongestWindow = space.max_window_ms;
    /// The worker numbers that may be handed out; all of the layout's if absent.
    derived workers: Workers = space.workers;
    /// No window begins below this tick.
    defaulted(0) floor: Big = space.floor;
} => Namespace { floor, ..Namespace::create(layout, workers, Some(max_window_ms))? } }

fields! { NamespaceSpec, |spec| {
    /// The layout; a new namespace has `leaf` if absent. It cannot change after the first window.
    optional layout: LayoutObject = spec.layout;
    /// The worker numbers that may be handed out; a new namespace has all of its layout if absent.
    optional workers: Workers = spec.workers;
    /// The longest window, in ms; a new namespace has ten minutes if absent. It cannot change after
    /// the first window.
    optional max_window_ms: LongestWindow = spec.max_window_ms;
} => NamespaceSpec { layout, workers, max_window_ms } }

fields! {
/// A row of a worker number; the number itself stands beside it: [`Worker`].
WorkerRow, |row| {
    /// The label of its last holder; empty if there is none.
    defaulted(Name::EMPTY) owner: OptionalOwner = row.owner;
    /// Whether the owner keeps it.
    defaulted(false) sticky: Flag = row.sticky;
    /// The request id of the acquire whose lease it is.
    optional key: Id = row.key;
    /// The first tick of the lease.
    defaulted(0) held_from: Big = row.held_from;
    /// Nothing at or above this tick was ever granted on this number.
    defaulted(0) reserved_until: Big = row.reserved_until;
    /// When it was granted or renewed last, in ms since 1970.
    defaulted(StoreTime::new(0)) granted_ms: Moment = row.granted;
} => WorkerRow { owner, sticky, key, held_from, reserved_until, granted: granted_ms } }

/// A worker number's row with the number itself, as `worker`.
impl Fields for Worker {
    const SCHEMA: &'static [FieldSchema] = &[FieldSchema {
        name: "worker",
        form: FieldForm::Number { least: 0, most: u32::MAX as u64 },
        presence: Presence::Required,
        about: "The worker number; beside it the fields of its row.",
    }];

    fn put(&self, to: &mut impl FieldWriter) {
        to.number("worker", self.0.into());
        self.1.put(to);
    }

    fn get(from: &mut impl FieldReader) -> Result<Worker, Refusal> {
        Ok((need(from.small("worker")?)?, WorkerRow::get(from)?))
    }
}

/// Writes the counters of a generator.
pub fn put_stats(stats: &Stats, to: &mut impl FieldWriter) {
    to.big("ids", stats.ids);
    to.big("asks", stats.asks);
    to.big("grants", stats.grants);
    to.big("failures", stats.failures);
    to.big("waits", stats.waits);
    to.big("dropped", stats.dropped);
    to.big("gaps", stats.gaps);
    to.big("in_hand", stats.in_hand);
    to.big("step", stats.step);
    to.millis("offset_ms", stats.offset_ms);
    stats.last_code.inspect(|code| to.text("last_code", code.as_str()));
    stats.state_code.inspect(|code| to.text("state_code", code.as_str()));
}
