//! The command `leafid`, as a user runs it.
#![cfg(unix)]

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
mod machine;
mod notify;
mod operating;
#[path = "../leaf/ranges.rs"]
mod ranges;
mod ready;
mod repair;
mod restore;
mod restored;
mod runbook;
mod secured;
mod seen;
mod servers;
mod shell;
mod support;
mod tls;
mod tokens;
mod verbs;
