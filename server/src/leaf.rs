//! Leaf, drop-in: its paths on a listener of their own, with its statuses and bodies; its settings and
//! its pages as they are. Its table is a back end's affair (`backends/mysql`).

pub mod answer;
pub mod config;
pub mod decode;
pub mod jdbc;
pub mod pages;
pub mod paths;
pub mod properties;
pub mod service;
pub mod workers;

/// Which of Leaf's modes are on. One that is off answers `0`, as Leaf does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// Numbers of tags.
    pub segment: bool,
    /// Snowflakes.
    pub snowflake: bool,
}

impl Modes {
    /// Both.
    pub const BOTH: Modes = Modes { segment: true, snowflake: true };
}
