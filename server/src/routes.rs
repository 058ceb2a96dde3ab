//! The handlers of the API's paths.

pub(crate) mod answer;
pub(crate) mod audit;
pub(crate) mod body;
pub(crate) mod dashboard;
pub(crate) mod decode;
pub(crate) mod health;
pub(crate) mod input;
pub(crate) mod metrics;
pub(crate) mod namespaces;
pub mod openapi;
pub(crate) mod overview;
pub(crate) mod segments;
pub(crate) mod servers;
pub(crate) mod tags;
pub(crate) mod workers;
