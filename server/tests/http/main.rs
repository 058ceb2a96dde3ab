//! The API over HTTP, on a server that really listens.

mod description;
mod ranges;
mod refusals;
mod serving;
mod support;
