//! The store's side of the protocol: rows and asks in, rows and answers out, all plain objects.

use leafid_bindings::{registry, sql};
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use crate::object::{Given, Js, answer, env, from, store as at};

/// Leases the next numbers of a tag: `{ row, grant }`, or the refusal.
#[napi(ts_return_type = "object")]
pub fn lease_segment<'e>(store: String, row: Object<'e>, ask: Object<'e>, now: f64) -> Given<'e> {
    answer(&env(&ask), registry::lease_segment(&store, from(row), from(ask), at(now)))
}

/// Gives a worker number: `{ row, freed?, grant }`, each row with its `worker`, or the refusal.
/// `rows` has `mine`, `own`, `spare` and `rested`, each with its `worker`, as far as there are any.
#[napi(ts_return_type = "object")]
pub fn acquire<'e>(
    store: String,
    namespace: Object<'e>,
    rows: Object<'e>,
    ask: Object<'e>,
    now: f64,
) -> Given<'e> {
    answer(&env(&ask), registry::acquire(&store, from(namespace), from(rows), from(ask), at(now)))
}

/// As `acquire`, out of what a store found in its indexes: `{ unused_from }` while the lowest number
/// without a row is missing; else the same, and `used_until` for the namespace's row. `rows` has also
/// `used_until`, `unused` once it was looked up, and `kept`.
#[napi(ts_return_type = "object")]
pub fn acquire_found<'e>(
    store: String,
    namespace: Object<'e>,
    rows: Object<'e>,
    ask: Object<'e>,
    now: f64,
) -> Given<'e> {
    let (of, env) = (from(namespace), env(&ask));
    answer(&env, registry::acquire_found(&store, of, from(rows), from(ask), at(now)))
}

/// Moves the end of a window forward: `{ row, grant }`, or the refusal.
#[napi(ts_return_type = "object")]
pub fn renew<'e>(
    store: String,
    namespace: Object<'e>,
    row: Object<'e>,
    ask: Object<'e>,
    now: f64,
) -> Given<'e> {
    answer(&env(&ask), registry::renew(&store, from(namespace), from(row), from(ask), at(now)))
}

/// Takes back the unused rest of a window: `{ row }`, or the refusal.
#[napi(ts_return_type = "object")]
pub fn release<'e>(store: String, row: Object<'e>, ask: Object<'e>) -> Given<'e> {
    answer(&env(&ask), registry::release(&store, from(row), from(ask)))
}

/// The row of a new tag, or of one created again over its tombstone: `{ row }`, or the refusal.
/// `wanted` has `from`, `step`, `max_step`, `until`, and `tag`, which is only checked.
#[napi(ts_return_type = "object")]
pub fn tag_row<'e>(before: Option<Object<'e>>, wanted: Object<'e>) -> Given<'e> {
    answer(&env(&wanted), registry::tag_row(before.map(from), from(wanted)))
}

/// The row of a new namespace: `{ row }`, or the refusal. `wanted` has `layout`, `workers`,
/// `max_window_ms`, and `namespace`, which is only checked.
#[napi(ts_return_type = "object")]
pub fn namespace_row<'e>(wanted: Object<'e>) -> Given<'e> {
    answer(&env(&wanted), registry::namespace_row(from(wanted)))
}

/// Decides a request to a store over SQL on the rows read so far: `{ reads }`, or `{ steps }` and `answer` or
/// `refused`. `call` is `{ store, now, found, quote, leaf }`; lists are linked, `{ …, next }`.
#[napi(ts_return_type = "object")]
pub fn turn<'e>(verb: String, ask: Object<'e>, call: Object<'e>) -> Given<'e> {
    answer(&env(&ask), sql::turned(&verb, Js::from(ask), Js::from(call)))
}
