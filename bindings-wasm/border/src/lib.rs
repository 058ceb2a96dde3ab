//! Passes values between JavaScript and the wasm files of the npm package.
//!
//! Numbers are passed directly. An object stays with the host, and is named by its index in a list
//! that the host keeps; 0 is none. Texts and bytes as arguments are *parcels*: the host asks for
//! [`room`](parcel::room), writes there and then calls; the function takes them, the last one first,
//! before it reads any object. A text or a 64-bit number that may be absent is *told*: the host
//! returns to its caller what was told last.
//!
//! No binding generator is used: this is a quarter of the size of its glue code and descriptions.
#![cfg_attr(target_family = "wasm", no_std)]
// The functions of the host link only in wasm.
#![cfg(target_family = "wasm")]

extern crate alloc;

mod alone;
mod host;
mod memory;
mod parcel;

pub use alone::Alone;
pub use host::{Js, answer, from, given, tell_big, tell_bytes, tell_moment, tell_text};
pub use parcel::{parcel, text};
