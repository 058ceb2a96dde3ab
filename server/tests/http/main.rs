//! The API over HTTP, on a server that listens on a real port.

mod abandoned;
mod cases;
mod description;
mod keep_alive;
mod limits;
mod metrics;
mod refusals;
mod request_ids;
mod serving;
mod support;
mod tags;
mod unread;
