//! A copy of the core with bugs in it: each a mistake that a system of this kind has made, so that the
//! simulator and the models can prove that they would find it. `bugs.txt` says what they are.

#[cfg(all(test, loom))]
mod model;

pub mod bugs;

include!(concat!(env!("OUT_DIR"), "/core/lib.rs"));
