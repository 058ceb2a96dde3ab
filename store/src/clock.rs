//! The clocks of this machine, behind a trait that tests replace, and the registry's time over
//! them.

mod manual;
mod registry_time;
mod strays;
mod system;
#[cfg(test)]
mod tests;

pub use manual::ManualClock;
pub use registry_time::{Clock, Leap, RegistryTime};
pub use strays::strays;
pub use system::SystemClock;
