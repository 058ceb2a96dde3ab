//! The store's side of the protocol: rows and asks in, rows and answers out, all plain objects.

use leafid_bindings::registry;
use napi::Result;
use napi::bindgen_prelude::{Env, Object};
use napi_derive::napi;

use crate::object::{answer, from, store as at};

/// Leases the next numbers of a tag: `{ row, grant }`, or the refusal.
#[napi]
pub fn lease_segment<'e>(
    env: &'e Env,
    store: String,
    row: Object<'e>,
    ask: Object<'e>,
    now_ms: f64,
) -> Result<Object<'e>> {
    answer(env, registry::lease_segment(&store, from(row), from(ask), at(now_ms)))
}

/// Gives a worker number: `{ row, freed?, grant }`, each row with its `worker`, or the refusal.
/// `rows` has `mine`, `own`, `spare` and `rested`, each with its `worker`, as far as they are there.
#[napi]
pub fn acquire<'e>(
    env: &'e Env,
    store: String,
    namespace: Object<'e>,
    rows: Object<'e>,
    ask: Object<'e>,
    now_ms: f64,
) -> Result<Object<'e>> {
    answer(env, registry::acquire(&store, from(namespace), from(rows), from(ask), at(now_ms)))
}

/// Moves the end of a window forward: `{ row, grant }`, or the refusal.
#[napi]
pub fn renew<'e>(
    env: &'e Env,
    store: String,
    namespace: Object<'e>,
    row: Object<'e>,
    ask: Object<'e>,
    now_ms: f64,
) -> Result<Object<'e>> {
    answer(env, registry::renew(&store, from(namespace), from(row), from(ask), at(now_ms)))
}

/// Takes back the rest of a window: `{ row }`, or the refusal.
#[napi]
pub fn release<'e>(
    env: &'e Env,
    store: String,
    row: Object<'e>,
    ask: Object<'e>,
) -> Result<Object<'e>> {
    answer(env, registry::release(&store, from(row), from(ask)))
}

/// The row of a new tag, or of one made anew over its tombstone: `{ row }`, or the refusal.
/// `wanted` has `from`, `step`, `max_step`, and `tag`, which is only looked at.
#[napi]
pub fn tag_row<'e>(
    env: &'e Env,
    before: Option<Object<'e>>,
    wanted: Object<'e>,
) -> Result<Object<'e>> {
    answer(env, registry::tag_row(before.map(from), from(wanted)))
}

/// The row of a new namespace: `{ row }`, or the refusal. `wanted` has `layout`, `workers`,
/// `max_window_ms`, and `namespace`, which is only looked at.
#[napi]
pub fn namespace_row<'e>(env: &'e Env, wanted: Object<'e>) -> Result<Object<'e>> {
    answer(env, registry::namespace_row(from(wanted)))
}

/// Whether a worker's row is kept from this owner, however long its window is over.
#[napi]
pub fn is_kept_from(row: Object<'_>, owner: String, now_ms: f64) -> bool {
    registry::is_kept_from(from(row), &owner, at(now_ms))
}
