//! The command `leafid`, as a user runs it.

mod addresses;
mod adopt;
mod answers;
mod apply;
mod attacks;
mod config;
mod creating;
mod full_disk;
mod json;
mod listeners;
mod log;
mod notify;
mod operating;
mod parted;
mod patterns;
mod ready;
mod restore;
mod restored;
mod runbook;
mod secured;
mod seen;
mod shell;
mod support;
mod tls;
mod tokens;
mod verbs;
