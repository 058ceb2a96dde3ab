//! Databases whose stores the tests open without a server process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use leafid_core::Code;
use leafid_servers::{Etcd, Mariadb, Postgres, Server, Zookeeper};
use leafid_store::backends::BackEnd;
use leafid_store::backends::far::{self, Client, Far};
use leafid_store::backends::mysql::{self, Mysql};
use leafid_store::backends::opening::{Options, Unopened};
use leafid_store::backends::postgres::{self, Postgres as PostgresDriver};
use leafid_store::backends::remote::Remote;
use leafid_store::clock::SystemClock;
use leafid_store::keyed::{Keyed, etcd, zookeeper};
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;

use crate::support::{LIMIT, until};

pub trait Opens: Server {
    type BackEnd: Far + BackEnd;

    fn address(url: &str) -> <<Self::BackEnd as Far>::Client as Client>::Address;

    fn opened(url: &str) -> Self::BackEnd {
        open_far(&Self::address(url))
    }

    fn registry(url: &str) -> Registry {
        Registry::over(None, Self::opened(url), false).expect("a thread for the store")
    }
}

macro_rules! opens {
    ($($server:ty: $back_end:ty, $address:path;)+) => {
        $(impl Opens for $server {
            type BackEnd = $back_end;

            fn address(url: &str) -> $address {
                <$address>::parse(url).expect("a URL")
            }
        })+
    };
}

opens! {
    Postgres: Remote<PostgresDriver>, postgres::Address;
    Mariadb: Remote<Mysql>, mysql::Address;
    Etcd: Keyed<etcd::Etcd>, etcd::Address;
    Zookeeper: Keyed<zookeeper::Zookeeper>, zookeeper::Address;
}

pub fn clock() -> Arc<SystemClock> {
    Arc::new(SystemClock)
}

pub fn open_far<B: Far>(address: &<B::Client as Client>::Address) -> B {
    let options = Options { create: true, ..Options::default() };
    let opened = in_the_end(|| far::open::<B>(address, "here", clock(), &options));
    opened.unwrap_or_else(|unopened| panic!("{:?}", unopened.problem))
}

/// Repeats a request until it is answered, as a holder does: on a busy machine the engine may time out, or
/// the queue overflow.
pub async fn answered<T>(ask: impl AsyncFn() -> Result<T, Problem>) -> Result<T, Problem> {
    let begun = Instant::now();
    loop {
        let answer = ask().await;
        let late =
            |problem: &Problem| [Code::StoreUnavailable, Code::Overloaded].contains(&problem.code);
        if !answer.as_ref().is_err_and(late) || begun.elapsed() > LIMIT {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub async fn served<T>(ask: impl AsyncFn() -> Result<T, Problem>) -> T {
    answered(ask).await.unwrap_or_else(|problem| panic!("{problem}"))
}

/// Opens a store, trying again where this machine is too slow for a database's answer.
pub fn in_the_end<B>(open: impl Fn() -> Result<B, Unopened>) -> Result<B, Unopened> {
    let opened =
        until(|| Some(open()).filter(|opened| !opened.as_ref().is_err_and(|e| e.may_pass)));
    opened.expect("an answer in the end")
}
