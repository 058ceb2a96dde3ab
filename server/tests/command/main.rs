//! The command `leafid`, as a user runs it.

mod creating;
mod listeners;
mod log;
mod ready;
mod support;
mod verbs;
