//! Sixteen clients over two servers, none of which knows of the other, while a server and the
//! database are killed: no number is granted twice. `LEAFID_KILLS=10` kills ten times instead of two,
//! and `cargo xtask nightly --only kills` sets that.

use crate::load::{CLIENTS, Load, Verdict};
use crate::serve;
use crate::support::{Home, says};

/// How often a control works at its fault until it shows: what two servers do at once is up to chance.
const ROUNDS: usize = 10;

pub fn shows(name: &str, fault: &str, servers: Vec<String>) {
    let found = (0..ROUNDS).any(|_| {
        let load = Load::begin(servers.clone());
        load.goes_on(400);
        let verdict = load.end();
        told(name, &format!("the control, {fault}"), &verdict);
        verdict.overlaps > 0
    });
    assert!(found, "the control found nothing");
}

fn kills() -> usize {
    std::env::var("LEAFID_KILLS").map_or(2, |kills| kills.parse().expect("a number of kills"))
}

pub fn prepare(url: &str) {
    says(url, &["init"]);
    for tag in ["tag0", "tag1", "tag2"] {
        says(url, &["tag", "create", tag, "--step", "10"]);
    }
}

fn told(name: &str, what: &str, verdict: &Verdict) {
    println!("{name}, {what}: {CLIENTS} clients, {verdict:?}");
}

/// Without a database apart from the servers these alone are killed.
pub fn goes_on_through_kills(name: &str, url: &str, mut crash: Option<&mut dyn FnMut()>) {
    prepare(url);
    let mut servers = [serve(url, &[]), serve(url, &[])];
    let load = Load::begin(servers.iter().map(|server| server.url.clone()).collect());
    load.goes_on(200);
    for kill in 0..kills() {
        match &mut crash {
            Some(crash) if kill % 2 == 1 => crash(),
            has_database => {
                let at = if has_database.is_some() { kill / 2 % 2 } else { kill % 2 };
                servers[at].kill();
                servers[at] = serve(url, &[]);
                load.replace(at, &servers[at].url);
            }
        }
        load.goes_on(200);
    }
    let verdict = load.end();
    told(name, &format!("{} kills", kills()), &verdict);
    assert_eq!(verdict.overlaps, 0);
    assert!(verdict.granted >= 200 * (1 + kills()) && verdict.failed > 0 && verdict.lines > 3);
}

/// Its engine is a part of each server, and is killed with it.
#[test]
fn nothing_is_granted_twice_over_sqlite() {
    goes_on_through_kills("SQLite", &Home::new().store, None);
}

/// The control of it: each server writes to a file of its own, which began as the other's copy.
#[test]
fn over_two_copies_of_a_file_numbers_are_granted_twice() {
    let home = Home::new();
    let files = ["one.db", "other.db"].map(|name| home.at(name));
    prepare(&files[0]);
    std::fs::copy(&files[0], &files[1]).expect("a copy");
    let servers = files.each_ref().map(|file| serve(file, &[]));
    shows("SQLite", "two copies", servers.iter().map(|server| server.url.clone()).collect());
}
