//! A database that goes back to an older state: a newly started server with a journal grants nothing
//! twice, and one without a journal does. `back.rs` has two servers that run meanwhile.

use leafid_servers::{Databases, Mariadb, Postgres, Server, copy, for_test};

use crate::restored::{goes_back, holds_more, make, serve};
use crate::support::{play, says};

/// Calls `act` with two functions: one stops the database and copies its data, the other puts the copy
/// back, as a primary or as a standby that is promoted.
fn copied<S: Server, T>(
    server: &mut S,
    promote: impl Fn(&mut S),
    act: impl FnOnce(&mut dyn FnMut(), &mut dyn FnMut()) -> T,
) -> T {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = folder.path().join("saved");
    let server = std::cell::RefCell::new(server);
    let mut save = || {
        let mut server = server.borrow_mut();
        server.stop().expect("it stops");
        copy(&server.data(), &saved);
        server.start_again().expect("it starts");
    };
    let mut restore = || {
        let mut server = server.borrow_mut();
        server.stop().expect("it stops");
        copy(&saved, &server.data());
        promote(&mut server);
    };
    act(&mut save, &mut restore)
}

fn starts<S: Server>(server: &mut S) {
    server.start_again().expect("it starts");
}

/// Puts the database back from a copy; gives the number of overlapping grants, and the log.
fn put_back<S: Server>(
    server: &mut S,
    promote: impl Fn(&mut S),
    store: &str,
    journal: bool,
) -> (usize, String) {
    let notes = tempfile::tempdir().expect("a folder");
    let journal = journal.then_some(notes.path());
    make(store);
    copied(server, promote, |save, restore| goes_back(store, journal, save, restore))
}

fn told(name: &str, what: &str, (twice, log): &(usize, String)) {
    let fenced: Vec<&str> = log.lines().filter(|line| line.contains("STORE_WENT_BACK")).collect();
    println!("{name}, {what}: {twice} grants overlap; {fenced:?}");
}

fn what_goes_back<S: Server>(mut server: S, store: impl Fn(&S, &str) -> String) {
    let name = store(&server, "guarded");
    let found = put_back(&mut server, starts, &name, true);
    told(S::NAME, "put back from a copy", &found);
    assert_eq!(found.0, 0, "{}", found.1);
    assert!(found.1.contains("was fenced") && found.1.contains("generation=1"), "{}", found.1);

    let name = store(&server, "control");
    let found = put_back(&mut server, starts, &name, false);
    told(S::NAME, "put back from a copy, without a journal", &found);
    assert!(found.0 > 20, "the control finds only {}: {}", found.0, found.1);
    let name = store(&server, "shown");
    make(&name);
    copied(&mut server, starts, |save, restore| holds_more(&name, save, restore));
}

fn what_goes_back_grants_nothing_twice<S: Server>(server: S) {
    what_goes_back(server, S::fresh);
}

each!(every what_goes_back_grants_nothing_twice);

/// Leaf's own table keeps the tags.
#[test]
fn leafs_table_that_goes_back_grants_nothing_twice() {
    let Some(server) = for_test::<Mariadb>() else { return };
    what_goes_back(server, |server, name| {
        let url = server.fresh(name);
        server.run(name, leafid_servers::LEAF_ALLOC).expect("Leaf's table");
        format!("{url}?tags=leaf_alloc")
    });
}

/// A standby that lacks the last leases takes the place of its primary.
#[test]
fn a_replica_of_postgres_without_the_last_leases_is_noticed_as_it_is_promoted() {
    let Some(mut server) = for_test::<Postgres>() else { return };
    let promote = |server: &mut Postgres| {
        server.make_standby().expect("a standby");
        starts(server);
        let done = server.run("postgres", "SELECT pg_promote(true, 240)").expect("a promotion");
        assert_eq!(done.trim(), "t");
    };
    let url = server.fresh("promoted");
    let found = put_back(&mut server, promote, &url, true);
    told("PostgreSQL", "promoted", &found);
    assert_eq!(found.0, 0, "{}", found.1);
    assert!(found.1.contains("was fenced"), "{}", found.1);
    let url = server.fresh("unnoticed");
    let found = put_back(&mut server, promote, &url, false);
    told("PostgreSQL", "promoted, no journal", &found);
    assert!(found.0 > 20, "the control finds only {}", found.0);
}

/// The rest of a journal's refusals is the same for every engine: `journal.rs`.
#[test]
fn a_copy_in_postgres_is_given_an_id_of_its_own() {
    let Some(server) = for_test::<Postgres>() else { return };
    let url = server.fresh("copied");
    make(&url);
    let serving = serve(&url, None);
    play(&url, "repair --new-id =1 stop every server");
    let old = serving.ready(200, &["ok"])["store"].clone();
    drop(serving);
    says(&url, &["repair", "--new-id"]);
    assert_ne!(serve(&url, None).ready(200, &["ok"])["store"], old);
}
