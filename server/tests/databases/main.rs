//! The server over real PostgreSQL, MariaDB, etcd and ZooKeeper: how it starts, what it refuses, and what happens when
//! a server or the database is killed in the middle of its work.
#![cfg(unix)]

mod adopt;
mod bad_rows;
mod crash;
mod far;
mod keyed;
mod load;
mod lookups;
mod parted;
mod refused;
mod restore;
#[path = "../command/restored.rs"]
mod restored;
mod starts;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../command/support.rs"]
mod support;
mod tls;
