//! A copy of the core with seeded bugs, with which the simulator and the models prove that they would
//! find each. All are mistakes that systems of this kind have made; `bugs.txt` lists them.

#[cfg(all(test, loom))]
mod model;

pub mod bugs;

include!(concat!(env!("OUT_DIR"), "/core/lib.rs"));
