//! Tests of etcd and ZooKeeper: those they share, and those of each alone.

mod cost;
mod foreign;
pub mod keys;
mod races;
mod starts;

use leafid_servers::Clustered;

use crate::crash::prepare;
use crate::load::Load;
use crate::serve;
use crate::support::says;

fn three<S: Clustered>() -> (Vec<S>, String) {
    let members = S::cluster().expect("three members");
    let url = S::url_of(&members);
    (members, url)
}

/// Kills each of three members in turn during the work: the others go on.
fn goes_on_without_a_member<S: Clustered>(_lone: S) {
    let (mut members, url) = three::<S>();
    prepare(&url);
    let servers = [serve(&url, &[]), serve(&url, &[])];
    let load = Load::begin(servers.iter().map(|server| server.url.clone()).collect(), 3);
    load.goes_on(100);
    for member in &mut members {
        member.crash();
        load.goes_on(100);
        member.start_again().expect("it comes back");
        load.goes_on(100);
    }
    let verdict = load.end();
    println!("three of {}, each killed once: {verdict:?}", S::NAME);
    assert_eq!(verdict.overlaps, 0);
}

each!(keyed goes_on_without_a_member);

/// The server starts while one of three members runs: without a majority it has to wait.
fn is_waited_for_without_a_majority<S: Clustered>(_lone: S) {
    let (mut members, url) = three::<S>();
    says(&url, &["init"]);
    for member in &mut members[1..] {
        member.crash();
    }
    let mut serving = serve(&url, &[]);
    assert!(serving.first.contains("leafid: waiting for "), "{}", serving.first);
    serving.ready(503, &["STORE_UNAVAILABLE", "cannot be reached"]);
    for member in &mut members[1..] {
        member.start_again().expect("it comes back");
    }
    serving.ready(200, &["\"ok\""]);
    assert_eq!(serving.end("-TERM").0, Some(0));
}

each!(keyed is_waited_for_without_a_majority);
