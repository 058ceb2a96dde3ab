//! A drop-in replacement for Leaf: serves its paths and pages on a listener of their own, with its statuses
//! and bodies, from its settings. The MySQL back end reads its table (`store/src/backends/mysql`).

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

/// The modes that Leaf's listener serves. One that is off answers `0`, as Leaf does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// Whether numbers of tags are served.
    pub segment: bool,
    /// Whether snowflakes are served.
    pub snowflake: bool,
    /// Whether keys are looked up that are not valid leafid names, as Leaf's table may have.
    pub any_key: bool,
}

impl Modes {
    /// Both modes, over a store of leafid.
    pub const BOTH: Modes = Modes { segment: true, snowflake: true, any_key: false };
}

fn invalid(detail: impl Into<String>) -> Problem {
    Problem::new(Code::RequestInvalid, detail)
}
