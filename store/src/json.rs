//! The wire's JSON, under the name that the server knows.

pub use leafid_wire::{Reader, Unique, Writer, shown};
