//! The command `leafid`, as a user runs it.

mod addresses;
mod adopt;
mod apply;
mod attacks;
mod config;
mod creating;
mod full_disk;
mod hung_up;
mod journal;
mod json;
mod listeners;
mod log;
mod notify;
mod operating;
#[path = "../leaf/ranges.rs"]
mod ranges;
mod ready;
mod restore;
mod restored;
mod runbook;
mod same;
mod secured;
mod seen;
mod shell;
mod support;
mod tls;
mod tokens;
mod verbs;
