//! The table of the messages between a holder and a store.

use leafid_core::{
    AcquireAsk, Ask, Carryover, LINE_END, Range, Refusal, Release, RenewAsk, SegmentAsk,
    SegmentGrant, WindowGrant,
};

use super::codec::{
    Big, Codec, Count, Flag, Id, LayoutObject, Length, LongestWindow, Moment, NamespaceName, Owner,
    Tag, Wanted, WorkerNumber, fields,
};
use super::{FieldReader, FieldSchema, FieldWriter, Fields, Presence, need};

fields! { SegmentAsk, |ask| {
    /// The tag.
    required tag: Tag = ask.tag;
    /// Fresh for every ask; the answer echoes it.
    required request: Id = ask.request;
    /// The store that answered before: another one refuses (`STORE_CHANGED`).
    optional store: Id = ask.store;
    /// How many numbers; the tag's own step if absent, its `max_step` at most.
    optional step: Count = ask.step;
    /// How many a caller waits for at once: granted if that is more, and not above `max_step`.
    optional at_least: Wanted = ask.at_least;
    /// Exactly this many numbers, or none at all; at most `max_step`, without `step` and `at_least`.
    optional exactly: Count = ask.exactly;
    /// The highest end that the holder has or had; a store that stands lower has lost grants.
    optional have_until: Big = ask.have_until;
} => SegmentAsk { tag, request, store, step, at_least, exactly, have_until } }

fields! { AcquireAsk, |ask| {
    /// The namespace.
    required namespace: NamespaceName = ask.namespace;
    /// Fresh for every ask; the answer echoes it, and it is the key of the lease.
    required request: Id = ask.request;
    /// The store that answered before: another one refuses (`STORE_CHANGED`).
    optional store: Id = ask.store;
    /// The label of the holder, such as `hostname/pid`.
    required owner: Owner = ask.owner;
    /// The layout that the holder counts on; the namespace's own if absent.
    optional layout: LayoutObject = ask.layout;
    /// How long a window, in ms; the namespace's `max_window_ms` if absent, and at most.
    optional length_ms: Length = ask.length_ms;
    /// Whether the number shall stay the owner's.
    defaulted(false) sticky: Flag = ask.sticky;
    /// Whether, of a sticky owner, no other number will do.
    defaulted(false) strict: Flag = ask.strict;
} => AcquireAsk { namespace, request, store, owner, layout, length_ms, sticky, strict } }

fields! { RenewAsk, |ask| {
    /// The namespace.
    required namespace: NamespaceName = ask.namespace;
    /// Fresh for every ask; the answer echoes it.
    required request: Id = ask.request;
    /// The store that granted the window.
    required store: Id = ask.store;
    /// The worker number.
    required worker: WorkerNumber = ask.worker;
    /// The request id of the acquire.
    required key: Id = ask.key;
    /// The end in hand, as a tick.
    required have_until: Big = ask.have_until;
    /// How long a window, in ms; the namespace's `max_window_ms` if absent, and at most.
    optional length_ms: Length = ask.length_ms;
} => RenewAsk { namespace, request, store, worker, key, have_until, length_ms } }

fields! { Release, |release| {
    /// The namespace.
    required namespace: NamespaceName = release.namespace;
    /// The store that granted the window.
    required store: Id = release.store;
    /// The worker number.
    required worker: WorkerNumber = release.worker;
    /// The request id of the acquire.
    required key: Id = release.key;
    /// The first tick that was not begun.
    required unused_from: Big = release.unused_from;
} => Release { namespace, store, worker, key, unused_from } }

fields! { SegmentGrant, |grant| {
    /// The request that it answers.
    required request: Id = grant.request;
    /// The store's id.
    required store: Id = grant.store;
    /// The tag.
    required tag: Tag = grant.tag;
    /// The first number.
    required start: Big = grant.range.start;
    /// One more than the last number.
    required end: Big = grant.range.end;
    /// The tag's own step.
    required step: Count = grant.step;
    /// The most numbers that one lease of the tag has.
    required max_step: Count = grant.max_step;
    /// How many numbers the tag has left, up to its `until`.
    defaulted(LINE_END) remaining: Big = grant.remaining;
    /// The store's time, in ms since 1970.
    required now_ms: Moment = grant.now;
} => SegmentGrant {
    request, store, tag, range: Range::new(start, end), step, max_step, remaining, now: now_ms,
} }

fields! { WindowGrant, |grant| {
    /// The request that it answers.
    required request: Id = grant.request;
    /// The store's id.
    required store: Id = grant.store;
    /// The worker number.
    required worker: WorkerNumber = grant.worker;
    /// The first tick; of a renewal, the end that the holder had.
    required start: Big = grant.ticks.start;
    /// One more than the last tick.
    required end: Big = grant.ticks.end;
    /// The namespace's layout.
    required layout: LayoutObject = grant.layout;
    /// The store's time, in ms since 1970.
    required now_ms: Moment = grant.now;
    /// The longest window of the namespace, in ms.
    required max_window_ms: LongestWindow = grant.max_window_ms;
} => WindowGrant {
    request, store, worker, ticks: Range::new(start, end), layout, now: now_ms, max_window_ms,
} }

fields! { Carryover, |before| {
    /// The store that answered.
    optional store: Id = before.store;
    /// The first position that was not handed out.
    defaulted(0) position: Big = before.position;
    /// The highest end that was ever in hand, as a position.
    optional have_until: Big = before.have_until;
} => Carryover { store, position, have_until } }

/// Writes the fields of an ask, and `ask`, its type: `segment`, `acquire` or `renew`.
pub fn put_ask(ask: &Ask, to: &mut impl FieldWriter) {
    match ask {
        Ask::Segment(ask) => {
            to.text("ask", "segment");
            ask.put(to);
        }
        Ask::Acquire(ask) => {
            to.text("ask", "acquire");
            ask.put(to);
        }
        Ask::Renew(ask) => {
            to.text("ask", "renew");
            ask.put(to);
        }
    }
}
