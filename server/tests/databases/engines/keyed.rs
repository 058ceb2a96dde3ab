//! What is true of etcd and ZooKeeper alike, and of each alone.

mod cost;
mod foreign;
pub mod keys;
mod races;
mod starts;

use std::sync::Arc;

use leafid_servers::{Etcd, Server, Zookeeper, for_test};
use leafid_store::backends::far;
use leafid_store::keyed::Keyed;

use self::keys::Real;
use super::crash::{blind, opened, survives};
use crate::crash::prepare;
use crate::load::Load;
use crate::serve;
use crate::support::says;

fn nothing_is_granted_twice<S: Server>() {
    let Some(mut server) = for_test::<S>() else { return };
    let url = server.url();
    survives(&mut server, &url);
}

each!(nothing_is_granted_twice: etcd Etcd, zookeeper Zookeeper);

fn without_conditions_numbers_are_granted_twice<S: Real>() {
    let Some(server) = for_test::<S>() else { return };
    let (url, address) = (server.url(), S::address(&server.url()));
    blind(S::NAME, &url, |clock, terms| {
        opened(|| far::open::<Keyed<S::Engine>>(&address, "here", clock.clone(), terms))
    });
}

each!(without_conditions_numbers_are_granted_twice: etcd Etcd, zookeeper Zookeeper);

/// Starts so many members of an engine.
type Cluster<S> = fn(usize) -> Result<Vec<S>, String>;
/// The URL that names all of them.
type UrlOf<S> = fn(&[S]) -> String;

/// Three members and their URL, where the engine is installed.
fn three<S: Server>(cluster: Cluster<S>, url_of: UrlOf<S>) -> Option<(Vec<S>, String)> {
    for_test::<S>()?;
    let members = cluster(3).expect("three members");
    let url = url_of(&members);
    Some((members, url))
}

/// One of three members is killed in the middle of the work, whichever it is: the others go on.
fn goes_on_without_a_member<S: Server>(cluster: Cluster<S>, url_of: UrlOf<S>) {
    let Some((mut members, url)) = three(cluster, url_of) else { return };
    prepare(&url);
    let servers = [serve(&url, &[]), serve(&url, &[])];
    let load = Load::begin(servers.iter().map(|server| server.url.clone()).collect());
    load.goes_on(100);
    for member in &mut members {
        member.crash();
        load.goes_on(100);
        member.start_again().expect("it comes back");
        load.goes_on(100);
    }
    let verdict = load.end();
    let (granted, failed, overlaps) = (verdict.granted, verdict.failed, verdict.overlaps);
    println!(
        "three of {}, each killed once: {granted} grants, {failed} asks without, {overlaps} overlaps",
        S::NAME
    );
    assert_eq!(overlaps, 0);
}

each!(
    goes_on_without_a_member:
    etcd Etcd(Etcd::cluster, Etcd::url_of),
    zookeeper Zookeeper(Zookeeper::cluster, Zookeeper::url_of),
);

/// Of three members only one is there when the server starts: there is nobody to decide.
fn is_waited_for_without_a_majority<S: Server>(cluster: Cluster<S>, url_of: UrlOf<S>) {
    let Some((mut members, url)) = three(cluster, url_of) else { return };
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

each!(
    is_waited_for_without_a_majority:
    etcd Etcd(Etcd::cluster, Etcd::url_of),
    zookeeper Zookeeper(Zookeeper::cluster, Zookeeper::url_of),
);

/// What the tests share.
fn clock() -> Arc<leafid_store::clock::SystemClock> {
    Arc::new(leafid_store::clock::SystemClock)
}
