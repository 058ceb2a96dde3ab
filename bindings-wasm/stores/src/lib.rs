//! The store's side of the protocol, and requests to a store over SQL (D1, Durable Objects). What decides
//! over SQL weighs three times as much as all the rest, so it is in a file of its own, with the rest of it.
#![cfg_attr(target_family = "wasm", no_std)]
#![cfg(target_family = "wasm")]
#![expect(unsafe_code, reason = "the host knows each function by its name")]

use leafid_bindings::sql;
use leafid_wasm_border::{Js, answer, text};
// Its functions are exported from here, too.
use leafid_wasm_registry as _;

/// Goes on with a request to a store over SQL, by what was read so far: `{ reads }`, or `{ steps }` and
/// `answer` or `refused`. `call` is `{ store, now, found, quote, leaf }`; lists are chains, `{ …, next }`.
#[unsafe(no_mangle)]
pub extern "C" fn turn(ask: u32, call: u32) -> u32 {
    answer(sql::turned(&text(), Js(ask), Js(call)))
}
