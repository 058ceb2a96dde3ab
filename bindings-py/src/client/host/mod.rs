//! What a client needs of the operating system.

pub mod clock;
pub mod fork;
pub mod fork_cell;
pub mod owner;
pub mod random;
