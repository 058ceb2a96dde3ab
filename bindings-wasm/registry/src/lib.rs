//! The store's side of the protocol: rows and asks in, rows and answers out, all plain objects. A
//! separate wasm file, because a program with a store elsewhere does not need it.
//!
//! The store's id is a parcel. `leafid_wasm_border` passes parcels and objects.
#![cfg_attr(target_family = "wasm", no_std)]
#![cfg(target_family = "wasm")]
#![expect(unsafe_code, reason = "the host knows each function by its name")]

use leafid_bindings::registry;
#[cfg(feature = "sql")]
use leafid_bindings::sql;
use leafid_core::StoreTime;
#[cfg(feature = "sql")]
use leafid_wasm_border::Js;
use leafid_wasm_border::{answer, from, given, text};

/// A time on the store's clock.
fn at(ms: f64) -> StoreTime {
    StoreTime::new(ms as i64)
}

/// Leases the next numbers of a tag: `{ row, grant }`, or the refusal.
#[unsafe(export_name = "leaseSegment")]
pub extern "C" fn lease_segment(row: u32, ask: u32, now_ms: f64) -> u32 {
    answer(registry::lease_segment(&text(), from(row), from(ask), at(now_ms)))
}

/// Gives a worker number: `{ row, freed?, grant }`, each row with its `worker`, or the refusal.
/// `rows` may have `mine`, `own`, `spare` and `rested`, each with its `worker`.
#[unsafe(no_mangle)]
pub extern "C" fn acquire(namespace: u32, rows: u32, ask: u32, now_ms: f64) -> u32 {
    answer(registry::acquire(&text(), from(namespace), from(rows), from(ask), at(now_ms)))
}

/// Moves the end of a window forward: `{ row, grant }`, or the refusal.
#[unsafe(no_mangle)]
pub extern "C" fn renew(namespace: u32, row: u32, ask: u32, now_ms: f64) -> u32 {
    answer(registry::renew(&text(), from(namespace), from(row), from(ask), at(now_ms)))
}

/// Takes back the unused rest of a window: `{ row }`, or the refusal.
#[unsafe(no_mangle)]
pub extern "C" fn release(row: u32, ask: u32) -> u32 {
    answer(registry::release(&text(), from(row), from(ask)))
}

/// The row of a new tag, or of one created again over its tombstone: `{ row }`, or the refusal.
/// `wanted` has `from`, `step`, `max_step`, and `tag`, which is only checked.
#[unsafe(export_name = "tagRow")]
pub extern "C" fn tag_row(before: u32, wanted: u32) -> u32 {
    answer(registry::tag_row(given(before), from(wanted)))
}

/// The row of a new namespace: `{ row }`, or the refusal. `wanted` has `layout`, `workers`,
/// `max_window_ms`, and `namespace`, which is only checked.
#[unsafe(export_name = "namespaceRow")]
pub extern "C" fn namespace_row(wanted: u32) -> u32 {
    answer(registry::namespace_row(from(wanted)))
}

/// Decides a request to a store over SQL on the rows read so far: `{ reads }`, or `{ steps }` and `answer` or
/// `refused`. `call` is `{ store, now, found, leaf }`; lists are linked, `{ …, next }`.
#[cfg(feature = "sql")]
#[unsafe(no_mangle)]
pub extern "C" fn turn(ask: u32, call: u32) -> u32 {
    answer(sql::turned(&text(), Js(ask), Js(call)))
}
