//! Leaf, drop-in: its paths on a listener of their own, with its statuses and bodies; its settings and
//! its pages as they are. Its table is a back end's affair (`store/src/backends/mysql`).

mod answer;
pub mod config;
mod decode;
pub mod jdbc;
mod pages;
mod paths;
mod properties;
pub mod service;
pub mod workers;

use leafid_core::Code;
use leafid_store::problem::Problem;

/// What Leaf's listener serves. A mode that is off answers `0`, as Leaf does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// Numbers of tags.
    pub segment: bool,
    /// Snowflakes.
    pub snowflake: bool,
    /// Keys are looked for that are no names of ours: in Leaf's table there may be some.
    pub any_key: bool,
}

impl Modes {
    /// Both, over a store of ours.
    pub const BOTH: Modes = Modes { segment: true, snowflake: true, any_key: false };
}

fn invalid(detail: impl Into<String>) -> Problem {
    Problem::new(Code::RequestInvalid, detail)
}
