//! The state file of a generator, and the journal of stores that a process opens itself, for hosts that have files:
//! Python and Node. And the places where no store's file may be.
//!
//! The core decides what is written and when; here are the lock, the slots on the disk, and the file's place.
//! State files are only on Linux: the id of the last start, a clock since then and the type of a file system are different on
//! every system.

mod found;
pub mod places;
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
pub mod journal;
#[cfg(target_os = "linux")]
mod networks;
#[cfg(target_os = "linux")]
mod open;
#[cfg(not(target_os = "linux"))]
#[path = "nowhere.rs"]
mod open;

pub use found::Found;
#[cfg(not(target_os = "linux"))]
pub use open::journal;
pub use open::{State, is_folder};
pub use problem::Problem;
