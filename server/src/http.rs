//! HTTP: listeners and their paths, authentication, middleware, limits, and a stop that answers every
//! request under way.

mod accept;
mod admission;
pub(crate) mod authorize;
mod connection;
pub mod deadlines;
pub(crate) mod entry;
mod guard;
pub mod listener;
pub(crate) mod reload;
mod request_id;
pub mod router;
pub(crate) mod rules;
pub mod serve;
pub(crate) mod tls;
