//! Leaf, drop-in: its paths on a listener of their own, with its statuses and bodies; its settings and
//! its pages as they are. Its table is a back end's affair (`backends/mysql`).

pub mod admission;
pub mod answer;
pub mod config;
pub mod decode;
pub mod jdbc;
pub mod pages;
pub mod paths;
pub mod properties;
pub mod service;
pub mod workers;
