//! Leaf, drop-in: its clients, its settings and its pages as they are. Its table is a back end's
//! affair (`backends/mysql`).

pub mod config;
pub mod jdbc;
pub mod properties;
