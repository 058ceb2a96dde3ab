//! The file as a whole: opening and creating it, watching that it stays the one that was opened, copying
//! it and giving it another id.

pub mod backup;
pub mod create;
pub mod meta;
pub mod open;
mod places;
pub mod rename;
pub mod watch;
