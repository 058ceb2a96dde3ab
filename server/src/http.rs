//! HTTP: which listener serves which paths, who calls, and what happens to every request before
//! and after its path.

pub mod audit;
pub mod caller;
pub mod entry;
pub mod listener;
pub mod request_id;
