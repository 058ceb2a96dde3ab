//! The file as a whole: opening and creating it, raising its tables, watching that it stays the one
//! that was opened, and copying it.

pub mod backup;
pub mod create;
pub mod meta;
pub mod migrate;
pub mod open;
mod places;
pub mod version;
pub mod watch;
