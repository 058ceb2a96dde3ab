//! The store's side of the protocol: rows and asks in, rows and answers out, all plain objects.

use js_sys::Object;
use leafid_bindings::registry;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::object::{answer, from, store as at};

/// Leases the next numbers of a tag: `{ row, grant }`, or the refusal.
#[wasm_bindgen(js_name = leaseSegment)]
pub fn lease_segment(store: &str, row: Object, ask: Object, now_ms: f64) -> Object {
    answer(registry::lease_segment(store, from(row), from(ask), at(now_ms)))
}

/// Gives a worker number: `{ row, freed?, grant }`, each row with its `worker`, or the refusal.
/// `rows` has `mine`, `own`, `spare` and `rested`, each with its `worker`, as far as there are any.
#[wasm_bindgen]
pub fn acquire(store: &str, namespace: Object, rows: Object, ask: Object, now_ms: f64) -> Object {
    answer(registry::acquire(store, from(namespace), from(rows), from(ask), at(now_ms)))
}

/// As `acquire`, out of what a store found in its indexes: `{ unused_from }` while the lowest number
/// without a row is missing; else the same, and `used_until` for the namespace's row. `rows` has also
/// `used_until`, `unused` once it was looked up, and `kept`.
#[wasm_bindgen(js_name = acquireFound)]
pub fn acquire_found(
    store: &str,
    namespace: Object,
    rows: Object,
    ask: Object,
    now_ms: f64,
) -> Object {
    answer(registry::acquire_found(store, from(namespace), from(rows), from(ask), at(now_ms)))
}

/// Moves the end of a window forward: `{ row, grant }`, or the refusal.
#[wasm_bindgen]
pub fn renew(store: &str, namespace: Object, row: Object, ask: Object, now_ms: f64) -> Object {
    answer(registry::renew(store, from(namespace), from(row), from(ask), at(now_ms)))
}

/// Takes back the unused rest of a window: `{ row }`, or the refusal.
#[wasm_bindgen]
pub fn release(store: &str, row: Object, ask: Object) -> Object {
    answer(registry::release(store, from(row), from(ask)))
}

/// The row of a new tag, or of one created again over its tombstone: `{ row }`, or the refusal.
/// `wanted` has `from`, `step`, `max_step`, and `tag`, which is only checked.
#[wasm_bindgen(js_name = tagRow)]
pub fn tag_row(before: Option<Object>, wanted: Object) -> Object {
    answer(registry::tag_row(before.map(from), from(wanted)))
}

/// The row of a new namespace: `{ row }`, or the refusal. `wanted` has `layout`, `workers`,
/// `max_window_ms`, and `namespace`, which is only checked.
#[wasm_bindgen(js_name = namespaceRow)]
pub fn namespace_row(wanted: Object) -> Object {
    answer(registry::namespace_row(from(wanted)))
}

/// Whether another owner keeps this worker number, however long ago its window ended.
#[wasm_bindgen(js_name = isKeptFrom)]
pub fn is_kept_from(row: Object, owner: &str, now_ms: f64) -> bool {
    registry::is_kept_from(from(row), owner, at(now_ms))
}
