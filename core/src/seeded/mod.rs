//! Bugs that are put in on purpose, and the models that find those which only two threads can have.

pub mod bugs;
#[cfg(all(test, loom))]
mod model;
