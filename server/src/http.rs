//! HTTP: which listener serves which paths, who calls, what happens to every request before and
//! after its path, and the stop that loses nothing.

pub mod accept;
pub mod admission;
pub mod audit;
pub mod authorize;
pub mod caller;
pub mod connection;
pub mod deadlines;
pub mod entry;
pub mod guard;
pub mod listener;
pub mod reload;
pub mod request_id;
pub mod router;
pub mod rules;
pub mod serve;
pub mod tls;
