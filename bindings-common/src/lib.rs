//! The verbs that every binding of leafid exposes, written once: plain data in, plain data out.
//!
//! A binding (napi, wasm-bindgen, PyO3, a component) is a face over this crate: it names the
//! functions for its host and converts values, and decides nothing. A verb reads its arguments
//! through a [`FieldReader`](leafid_wire::FieldReader), decides, and returns a value of the core or
//! [`Wrong`]: the refusal, and the field that could not be read.
//!
//! - generators of either kind: [`AnyGenerator`]; what they keep in state files: [`kept`];
//! - the store's side of the protocol: [`registry`], over plain rows, and [`turn`] and [`sql`], over SQL;
//! - the parts of IDs: [`layouts`];
//! - the error table: [`codes`];
//! - objects of a host: [`Object`], [`answer`].
//!
//! No code of the host runs while a generator is borrowed: an object's fields may be getters, and a
//! getter may call back.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::unreachable
    )
)]

extern crate alloc;

pub mod codes;
pub mod layouts;
pub mod registry;
pub mod sql;
pub mod state_bytes;
pub mod turn;

mod answer;
mod any;
mod object;
mod source;

pub use answer::{Answer, answer};
pub use any::{Answers, AnyGenerator};
pub use object::{Object, Reading, Value, Writing};
pub use source::{Source, Wrong, read, read_with};
