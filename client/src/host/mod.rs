//! The operating system's part of a client: clocks, forks, randomness, threads, the process's label.

pub mod clock;
pub mod fork;
pub mod fork_cell;
pub mod owner;
pub mod random;
pub mod thread;
pub mod timer;
