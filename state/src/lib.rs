//! The state file of a generator, for hosts that have files: Python and Node share this.
//!
//! What stands in it, and when it is written, is the core's to say; here are the lock, the slots on
//! the disk, and where the file belongs. Only on Linux: what is needed of a system (an id of its last
//! start, a clock since then, the kind of a file system) is different everywhere.

mod found;
mod problem;

#[cfg(target_os = "linux")]
mod boot;
#[cfg(target_os = "linux")]
mod file;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod folder;
#[cfg(target_os = "linux")]
mod fork;
#[cfg(target_os = "linux")]
mod open;
#[cfg(not(target_os = "linux"))]
#[path = "nowhere.rs"]
mod open;

pub use found::Found;
pub use open::{State, is_folder};
pub use problem::Problem;
