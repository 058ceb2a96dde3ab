//! The server over SQLite and real PostgreSQL, MariaDB, etcd and ZooKeeper: its starts, its refusals, and
//! kills of a server or the database during work.
#![cfg(unix)]

/// Tests a function on a server of each engine, with the arguments given for it.
macro_rules! each {
    (every $($of:ident)+) => {
        each!($($of)+: postgres Postgres, mariadb Mariadb, etcd Etcd, zookeeper Zookeeper);
    };
    (keyed $($of:ident)+) => { each!($($of)+: etcd Etcd, zookeeper Zookeeper); };
    (keyed async $of:ident) => { each!(async $of: etcd Etcd, zookeeper Zookeeper); };
    (async $of:ident: $($name:ident $engine:ident),+) => {
        mod $of {
            $(#[tokio::test] async fn $name() {
                let Some(server) = leafid_servers::for_test::<leafid_servers::$engine>() else { return };
                super::$of(server).await;
            })+
        }
    };
    ($of:ident: $($name:ident $engine:ident $(($($given:expr),*))?),+ $(,)?) => {
        mod $of {
            $(#[test] fn $name() {
                let Some(server) = leafid_servers::for_test::<leafid_servers::$engine>() else { return };
                super::$of(server $($(, $given)*)?);
            })+
        }
    };
}

#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../conformance/asks.rs"]
mod asks;
mod bad_rows;
mod crash;
mod load;
mod opens;
#[path = "../leaf/ranges.rs"]
mod ranges;
#[path = "../command/restored.rs"]
mod restored;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../command/support.rs"]
mod support;

mod engines {
    mod adopt;
    mod back;
    mod bad_rows;
    mod far;
    mod keyed;
    mod lookups;
    mod refused;
    mod restore;
    mod starts;
    mod tls;
}

use support::{REQUEST, Serving, fails, has, says};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

fn serve(url: &str, more: &[&str]) -> Serving {
    Serving::of(url, more)
}

/// Checks that a server uses the store, with its tag `orders`, and never prints the password.
fn lets_in(url: &str, password: &str) {
    let mut serving = serve(url, &[]);
    serving.ready(200, &["\"ok\""]);
    says(&serving.url, &["next", "orders"]);
    says(&serving.url, &["next", "--namespace", "default"]);
    serving.end("-TERM");
    assert!(!serving.log().contains(password) && !serving.first.contains(password));
}

/// Checks that a verb is refused at once with all of these words, and never prints the password.
#[track_caller]
fn is_refused(url: &str, verb: &[&str], words: &[&str]) {
    let refused = fails(url, verb, 1);
    has(&refused, words);
    // Without a password there is nothing before the `@`, or nothing behind the last colon there.
    let password = url.split_once('@').and_then(|(login, _)| Some(login.rsplit_once(':')?.1));
    for word in password.into_iter().chain(["s3cret", "waiting"]).filter(|word| !word.is_empty()) {
        assert!(!refused.contains(word), "{refused}");
    }
}
