//! `leafid.testing`: a clock that tests move by hand, and a generator without I/O.

mod clock;
mod generator;

pub use clock::PyClock;
pub use generator::TestGenerator;
