//! What the wasm files of the npm package have in common: how values cross to JavaScript and back.
//!
//! Numbers cross as they are. An object stays on the host's side, and is named by its place in a list
//! that the host keeps; 0 is none. A text or bytes that a function takes are parcels: the host asks for
//! [`room`](parcel::room), writes there and then calls, and the function takes them, the last one first,
//! before it reads any object. A text or a number of 64 bits that may be absent is *told*, and the host
//! returns to its caller what was told last.
//!
//! No crate that binds for us, because this is a quarter of what its glue and its descriptions weigh.
#![cfg_attr(target_family = "wasm", no_std)]
// Natively the functions of a host do not link; only wasm has them.
#![cfg(target_family = "wasm")]

extern crate alloc;

mod alone;
mod host;
mod memory;
mod parcel;

pub use alone::Alone;
pub use host::{Js, answer, from, given, tell_big, tell_moment, tell_text};
pub use parcel::{parcel, text};
