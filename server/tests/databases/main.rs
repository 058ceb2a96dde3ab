//! The server over SQLite and over real PostgreSQL, MariaDB, etcd and ZooKeeper: how it starts, what it refuses, and
//! what happens when a server or the database is killed in the middle of its work.
#![cfg(unix)]

/// A test of a function for each of these engines, named after the engine.
macro_rules! each {
    (async $of:ident: $($name:ident $engine:ident),+ $(,)?) => {
        mod $of {
            use super::*;
            $(#[tokio::test] async fn $name() { super::$of::<$engine>().await; })+
        }
    };
    ($of:ident: $($name:ident $engine:ident $(($($given:expr),*))?),+ $(,)?) => {
        mod $of {
            use super::*;
            $(#[test] fn $name() { super::$of::<$engine>($($($given),*)?); })+
        }
    };
}

mod bad_rows;
mod crash;
mod load;
#[path = "../command/restored.rs"]
mod restored;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../command/support.rs"]
mod support;

/// What starts a database server of its own.
mod engines {
    mod adopt;
    mod bad_rows;
    mod crash;
    mod far;
    mod keyed;
    mod lookups;
    mod refused;
    mod restore;
    mod starts;
    mod tls;
}

use std::process::Command;

use support::{LEAFID, REQUEST, Serving};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

fn serve(url: &str, more: &[&str]) -> Serving {
    let mut command = Command::new(LEAFID);
    command.args(SERVE).args(["--store", url]).args(more);
    Serving::spawn(&mut command)
}
