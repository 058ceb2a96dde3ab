//! The command `leafid`, as a user runs it.

mod creating;
mod log;
mod support;
mod verbs;
