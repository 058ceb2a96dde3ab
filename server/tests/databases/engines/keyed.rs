//! What is true of etcd and ZooKeeper alike, and of each alone.

mod cost;
mod foreign;
pub mod keys;
mod races;
mod starts;

use std::sync::Arc;

use leafid_servers::{Etcd, Server, Zookeeper, for_test};
use leafid_store::backends::etcd::{self, Etcd as EtcdEngine};
use leafid_store::backends::keyed::Keyed;
use leafid_store::backends::zookeeper::{self, Zookeeper as ZookeeperEngine};

use super::crash::{blind, opened, survives};
use crate::load::Load;
use crate::serve;
use crate::support::says;

#[test]
fn nothing_is_granted_twice_over_etcd() {
    let Some(mut server) = for_test::<Etcd>() else { return };
    let url = server.url();
    survives(&mut server, &url);
}

#[test]
fn nothing_is_granted_twice_over_zookeeper() {
    let Some(mut server) = for_test::<Zookeeper>() else { return };
    let url = server.url();
    survives(&mut server, &url);
}

#[test]
fn without_conditions_numbers_are_granted_twice_over_etcd() {
    let Some(server) = for_test::<Etcd>() else { return };
    let url = server.url();
    let address = etcd::Address::parse(&url).expect("a URL");
    blind(Etcd::NAME, &url, |clock, terms| {
        opened(|| Keyed::<EtcdEngine>::open(&address, "here", clock.clone(), terms))
    });
}

#[test]
fn without_conditions_numbers_are_granted_twice_over_zookeeper() {
    let Some(server) = for_test::<Zookeeper>() else { return };
    let url = server.url();
    let address = zookeeper::Address::parse(&url).expect("a URL");
    blind(Zookeeper::NAME, &url, |clock, terms| {
        opened(|| Keyed::<ZookeeperEngine>::open(&address, "here", clock.clone(), terms))
    });
}

/// One of three members is killed in the middle of the work, whichever it is: the others go on.
fn goes_on_without_a_member<S: Server>(mut members: Vec<S>, url: &str) {
    says(url, &["init"]);
    for tag in ["tag0", "tag1", "tag2"] {
        says(url, &["tag", "create", tag, "--step", "10"]);
    }
    let servers = [serve(url, &[]), serve(url, &[])];
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

#[test]
fn three_of_etcd_go_on_without_one() {
    let Some(lone) = for_test::<Etcd>() else { return };
    drop(lone);
    let members = Etcd::cluster(3).expect("three members");
    let url = Etcd::url_of(&members);
    goes_on_without_a_member(members, &url);
}

#[test]
fn three_of_zookeeper_go_on_without_one() {
    let Some(lone) = for_test::<Zookeeper>() else { return };
    drop(lone);
    let members = Zookeeper::cluster(3).expect("three servers");
    let url = Zookeeper::url_of(&members);
    goes_on_without_a_member(members, &url);
}

/// Of three members only one is there when the server starts: there is nobody to decide.
fn is_waited_for_without_a_majority<S: Server>(mut members: Vec<S>, url: &str) {
    says(url, &["init"]);
    for member in &mut members[1..] {
        member.crash();
    }
    let mut serving = serve(url, &[]);
    assert!(serving.first.contains("leafid: waiting for "), "{}", serving.first);
    serving.ready(503, &["STORE_UNAVAILABLE", "cannot be reached"]);
    for member in &mut members[1..] {
        member.start_again().expect("it comes back");
    }
    serving.ready(200, &["\"ok\""]);
    assert_eq!(serving.end("-TERM").0, Some(0));
}

#[test]
fn etcd_without_a_majority_is_waited_for() {
    let Some(lone) = for_test::<Etcd>() else { return };
    drop(lone);
    let members = Etcd::cluster(3).expect("three members");
    let url = Etcd::url_of(&members);
    is_waited_for_without_a_majority(members, &url);
}

#[test]
fn zookeeper_without_a_majority_is_waited_for() {
    let Some(lone) = for_test::<Zookeeper>() else { return };
    drop(lone);
    let members = Zookeeper::cluster(3).expect("three servers");
    let url = Zookeeper::url_of(&members);
    is_waited_for_without_a_majority(members, &url);
}

/// What the tests share.
fn clock() -> Arc<leafid_store::clock::SystemClock> {
    Arc::new(leafid_store::clock::SystemClock)
}
