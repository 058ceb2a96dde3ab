//! As in [`crate::crash`], where the database is killed too.

use std::sync::Arc;

use leafid_core::StoreTime;
use leafid_server::app::Config;
use leafid_server::http::listener::Listener;
use leafid_server::http::serve::{self, Bound};
use leafid_servers::{Databases, Mariadb, Postgres, Server, for_test};
use leafid_store::backends::clock::Source;
use leafid_store::backends::far;
use leafid_store::backends::mysql::{self, Mysql};
use leafid_store::backends::opening::Options;
use leafid_store::backends::opening::{Terms, Unopened};
use leafid_store::backends::postgres::{self, Postgres as PostgresDriver};
use leafid_store::backends::remote::{Driver, Remote};
use leafid_store::backends::{
    Abilities, Answer, BackEnd, Facts, Fault, Group, Outcome, Read, Want, Watch, Write, Written,
};
use leafid_store::clock::SystemClock;
use leafid_store::registry::Registry;
use tokio::net::TcpListener;

use crate::crash::{goes_on_through_kills, prepare, shows};
use crate::support::until;

fn nothing_is_granted_twice<S: Databases>() {
    let Some(mut database) = for_test::<S>() else { return };
    let url = database.make_database("crashes").expect("a database");
    survives(&mut database, &url);
}

/// Kills a server and the database in turns while clients lease from both servers.
pub fn survives<S: Server>(database: &mut S, url: &str) {
    let mut crash = || {
        database.crash();
        database.start_again().expect("it comes back");
    };
    goes_on_through_kills(S::NAME, url, Some(&mut crash));
}

each!(nothing_is_granted_twice: postgres Postgres, mariadb Mariadb);

/// A back end that leaves out the conditions of its writings: each is given the rows that stand
/// there, whatever was decided on.
struct Blind<B>(B);

impl<B: BackEnd> Blind<B> {
    async fn look_again(&mut self, write: &mut Write) -> Result<(), Fault> {
        let want = match write {
            Write::Same(name, _) | Write::Namespace { namespace: name, .. } => {
                Want::Namespace(*name)
            }
            Write::Tag { tag, .. } => Want::Tag(*tag),
            Write::Worker(write) => Want::Worker(write.namespace, write.worker),
            Write::Fence { .. } | Write::Beat(_) => return Ok(()),
        };
        let found = self.0.read(&[want]).await?.answers.pop();
        match (write, found) {
            (Write::Same(_, before), Some(Answer::Namespace(Some(now)))) => *before = now,
            (Write::Namespace { before, .. }, Some(Answer::Namespace(now))) => *before = now,
            (Write::Tag { before, .. }, Some(Answer::Tag(now))) => *before = now,
            (Write::Worker(write), Some(Answer::Workers(now))) => {
                write.before = now.first().map(|(_, seen)| *seen);
            }
            _ => {}
        }
        Ok(())
    }
}

impl<B: BackEnd> BackEnd for Blind<B> {
    fn facts(&self) -> Facts {
        self.0.facts()
    }

    fn watch(&self) -> Arc<dyn Watch> {
        self.0.watch()
    }

    fn abilities(&self) -> Abilities {
        let Abilities { at_once, wide, .. } = self.0.abilities();
        Abilities { at_once, wide, ..Abilities::default() }
    }

    async fn begin(&mut self) -> Result<Option<StoreTime>, Fault> {
        self.0.begin().await
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Read, Fault> {
        self.0.read(wants).await
    }

    async fn write(&mut self, groups: &[Group]) -> Result<Written, Fault> {
        let mut groups = groups.to_vec();
        loop {
            for write in groups.iter_mut().flatten() {
                self.look_again(write).await?;
            }
            let written = self.0.write(&groups).await?;
            if !written.outcomes.contains(&Outcome::Conflict) {
                return Ok(written);
            }
        }
    }
}

/// What a server opens, tried again where this machine is too slow for a database's answer.
pub fn opened<B>(open: impl Fn() -> Result<B, Unopened>) -> B {
    let opened = until(|| match open() {
        Ok(opened) => Some(opened),
        Err(unopened) if unopened.may_pass => None,
        Err(unopened) => panic!("{:?}", unopened.problem),
    });
    opened.expect("it is opened in the end")
}

fn without_conditions_numbers_are_granted_twice<S: Databases, D: Driver>(
    address: impl Fn(&str) -> D::Address,
) {
    let Some(database) = for_test::<S>() else { return };
    let url = database.make_database("blind").expect("a database");
    blind(S::NAME, &url, |clock, terms| {
        opened(|| far::open::<Remote<D>>(&address(&url), "here", clock.clone(), terms))
    });
}

/// The control: the same load over servers that write without conditions.
pub fn blind<B: BackEnd>(name: &str, url: &str, open: impl Fn(Arc<SystemClock>, &Terms) -> B) {
    prepare(url);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let mut servers = Vec::new();
    for _ in 0..2 {
        let terms =
            Terms { options: Options::default(), allow_unsafe: false, source: Source::Database };
        let clock = Arc::new(SystemClock);
        let back_end = Blind(open(clock.clone(), &terms));
        let store = Registry::over(back_end, clock, false).expect("a thread");
        let socket = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        servers.push(format!("http://{}", socket.local_addr().expect("an address")));
        let bound = vec![Bound::here(Listener::ONLY, socket)];
        let ends = std::future::pending::<()>();
        runtime.spawn(serve::serve(bound, Config::default(), Arc::new(store), ends));
    }
    shows(name, "without conditions", servers);
    runtime.shutdown_background();
}

#[test]
fn without_conditions_numbers_are_granted_twice_over_postgres() {
    without_conditions_numbers_are_granted_twice::<Postgres, PostgresDriver>(|url| {
        postgres::Address::parse(url).expect("a URL")
    });
}

#[test]
fn without_conditions_numbers_are_granted_twice_over_mariadb() {
    without_conditions_numbers_are_granted_twice::<Mariadb, Mysql>(|url| {
        mysql::Address::parse(url).expect("a URL")
    });
}
