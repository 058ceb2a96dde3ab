//! `leafid.testing`: a clock that is moved by hand, and the bare generator.

mod clock;
mod generator;

pub use clock::PyClock;
pub use generator::TestGenerator;
