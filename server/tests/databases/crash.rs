//! Sixteen clients over two independent servers, while a server and the database are killed: no
//! number is granted twice. `LEAFID_KILLS=10` kills ten times instead of two, as `cargo xtask nightly
//! --only kills` does.

use crate::load::{CLIENTS, Load, Verdict};
use crate::serve;
use crate::support::{Home, says};

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

/// Without `crash`, for an engine inside the servers, only servers are killed.
fn goes_on_through_kills(name: &str, url: &str, mut crash: Option<&mut dyn FnMut()>) {
    prepare(url);
    let mut servers = [serve(url, &[]), serve(url, &[])];
    let load = Load::begin(servers.iter().map(|server| server.url.clone()).collect(), 3);
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

mod engines {
    use leafid_servers::Server;

    fn nothing_is_granted_twice<S: Server>(mut server: S) {
        let url = server.fresh("crashes");
        let mut crash = || {
            server.crash();
            server.start_again().expect("it comes back");
        };
        super::goes_on_through_kills(S::NAME, &url, Some(&mut crash));
    }

    each!(every nothing_is_granted_twice);
}

/// SQLite is a part of each server, and is killed with it.
#[test]
fn nothing_is_granted_twice_over_sqlite() {
    goes_on_through_kills("SQLite", &Home::new().store, None);
}

/// The control: each server writes to its own file, which began as a copy of the other's.
#[test]
fn over_two_copies_of_a_file_numbers_are_granted_twice() {
    let home = Home::new();
    let files = ["one.db", "other.db"].map(|name| home.at(name));
    prepare(&files[0]);
    std::fs::copy(&files[0], &files[1]).expect("a copy");
    let servers = files.each_ref().map(|file| serve(file, &[]));
    // The servers' timing is up to chance.
    let found = (0..10).any(|_| {
        let load = Load::begin(servers.iter().map(|server| server.url.clone()).collect(), 3);
        load.goes_on(400);
        let verdict = load.end();
        told("SQLite", "the control, two copies", &verdict);
        verdict.overlaps > 0
    });
    assert!(found, "the control found nothing");
}
