//! A store is created by a command; a server waits for it while its database is down, and finds it again.

use leafid_servers::{Databases, Server};
use serde_json::json;

use super::keyed::keys::Keys;
use crate::support::{Serving, fails, has, number, refusal, says, until};
use crate::{REQUEST, SERVE, serve};

/// Leases ten numbers of `orders` from this one on; gives the number after them. On a busy machine an
/// answer may come too late, and its range is a gap then.
fn leases_ten(serving: &Serving, from: u64) -> u64 {
    let (ask, mut gaps) = (json!({ "request": REQUEST }), 0);
    let had = until(|| {
        let (status, grant) = serving.post("/v1/segments/orders/lease", &ask);
        gaps += u64::from(status == 503);
        (status != 503).then_some((status, grant))
    });
    let (status, grant) = had.expect("a lease in time");
    let start = number(&grant["start"]);
    assert!(status == 200 && (0..=gaps).any(|gap| start == from + 10 * gap), "{grant}");
    start + 10
}

/// `nothing` is the message for a place without a store.
fn is_made_by_a_command_and_opened_by_others<S: Server>(mut server: S, nothing: &str) {
    let url = server.fresh("made");
    // A lost store would look the same, so nothing is created.
    has(&fails(&url, &SERVE, 1), &["leafid init", nothing]);
    let made = says(&url, &["init"]);
    assert!(made.starts_with("created ") && made.contains("store id "), "{made}");
    let again = fails(&url, &["init"], 1);
    assert!(again.contains("STORE_REFUSED") && again.contains("already a store"), "{again}");
    // By a command, without a server.
    says(&url, &["tag", "create", "orders", "--from", "9223372036854770000", "--step", "10"]);

    let id = &made.split("store id ").nth(1).expect("an id")[..32];
    let other = [&SERVE[..], &["--expect-store", "00112233445566778899aabbccddeeff"]].concat();
    has(&fails(&url, &other, 1), &["STORE_CHANGED", id]);
    let mut serving = serve(&url, &["--expect-store", id]);
    serving.ready(200, &["\"ok\""]);
    // A number of 64 bits: no conversion on the way may lose digits.
    let next = leases_ten(&serving, 9_223_372_036_854_770_000);
    // The database goes away and comes back: the server reports it, and goes on where it was.
    server.crash();
    serving.ready(503, &["STORE_UNAVAILABLE"]);
    server.start_again().expect("it comes back");
    serving.ready(200, &["\"ok\""]);
    serving.logs(&["WARN", "the connection is lost"]);
    serving.logs(&["INFO", "connected again"]);
    leases_ten(&serving, next);
    let (code, rest) = serving.end("-TERM");
    assert_eq!(code, Some(0));
    // The line comes later where the server had to wait for a connection.
    has(&format!("{}{rest}", serving.first), &[", opened ", "1 tag"]);
}

each!(
    is_made_by_a_command_and_opened_by_others:
    postgres Postgres("has no tables"),
    mariadb Mariadb("has no tables"),
    etcd Etcd("no store"),
    zookeeper Zookeeper("no store"),
);

fn is_waited_for<S: Server>(mut server: S) {
    let url = server.url();
    says(&url, &["init"]);
    server.stop().expect("it ends");
    let mut serving = serve(&url, &[]);
    assert!(serving.first.contains("leafid: waiting for "), "{}", serving.first);
    serving.ready(503, &["STORE_UNAVAILABLE", "cannot be reached"]);
    serving.logs(&["WARN", "not open", "cannot be reached"]);
    server.start_again().expect("it comes back");
    serving.ready(200, &["\"ok\"", "\"journal\":\"written\""]);
    assert_eq!(serving.end("-TERM").0, Some(0));
    // The control: the server does not wait for a store that does not exist.
    assert!(fails(&server.fresh("empty"), &SERVE, 1).contains("leafid init"));
    // A server that is stopped while it waits ends at once.
    server.stop().expect("it ends");
    let mut serving = serve(&url, &[]);
    assert_eq!(serving.end("-TERM").0, Some(0));
}

each!(every is_waited_for);

/// Calls a function when dropped, also where the test fails.
struct AtLast<F: Fn()>(F);

impl<F: Fn()> Drop for AtLast<F> {
    fn drop(&mut self) {
        self.0();
    }
}

fn one_whose_tables_are_locked_is_waited_for<S: Databases + Sync>(
    server: S,
    lock: &'static str,
    sleeper: &'static str,
    end: fn(&str) -> String,
) {
    let url = server.fresh("locked");
    says(&url, &["init"]);
    std::thread::scope(|scope| {
        // The session is ended from here, also where this test fails; its error does not matter.
        scope.spawn(|| drop(server.run("locked", lock)));
        let sleeps = || server.run("locked", sleeper).ok().filter(|id| !id.trim().is_empty());
        let locked = AtLast(|| {
            let ended = until(sleeps).map(|id| server.run("locked", &end(id.trim())));
            assert!(ended.is_some() || std::thread::panicking(), "it had no lock");
        });
        until(sleeps).expect("it has the lock");
        let mut serving = serve(&url, &[]);
        drop(locked);
        assert!(serving.first.contains("leafid: waiting for "), "{}", serving.first);
        serving.ready(200, &["\"ok\""]);
        assert_eq!(serving.end("-TERM").0, Some(0));
    });
}

each!(
    one_whose_tables_are_locked_is_waited_for:
    postgres Postgres(
        "LOCK TABLE leafid.meta; SELECT pg_sleep(600)",
        "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'",
        |sleeper| format!("SELECT pg_terminate_backend({sleeper})")
    ),
    mariadb Mariadb(
        "LOCK TABLES meta WRITE; SELECT SLEEP(600)",
        "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'",
        |sleeper| format!("KILL {sleeper}")
    ),
);

/// Another store takes over the name: nothing is granted from it, with or without a broken connection.
fn another_store_behind_the_name_stops_the_server<S: Server>(
    mut server: S,
    url: fn(&S) -> String,
    forget: fn(&S),
    breaks: bool,
) {
    let url = url(&server);
    let make = || {
        says(&url, &["init"]);
        says(&url, &["tag", "create", "orders"]);
    };
    make();
    let serving = serve(&url, &[]);
    serving.ready(200, &["\"ok\""]);
    forget(&server);
    make();
    let (path, ask) = ("/v1/segments/orders/lease", json!({ "request": REQUEST }));
    if breaks {
        server.crash();
        server.start_again().expect("it comes back");
        serving.ready(503, &["STORE_CHANGED"]);
    } else {
        // What notices is not granted, and may be the server's own look at its register; the next request is
        // refused by name.
        let refused = serving.post(path, &ask);
        assert!([503, 409].contains(&refused.0), "{refused:?}");
    }
    refusal(serving.patient(path, &ask), 409, "STORE_CHANGED");
}

fn forgets<S: Databases>(server: &S, sql: &str) {
    server.run("twice", sql).expect("the tables go");
}

each!(
    another_store_behind_the_name_stops_the_server:
    postgres Postgres(
        |server| leafid_servers::Server::fresh(server, "twice"),
        |server| super::forgets(server, "DROP SCHEMA leafid CASCADE"),
        true
    ),
    mariadb Mariadb(
        |server| leafid_servers::Server::fresh(server, "twice"),
        |server| super::forgets(server, "DROP TABLE meta, servers, tags, namespaces, workers"),
        true
    ),
    etcd Etcd(leafid_servers::Server::url, super::Keys::wipe, true),
    zookeeper Zookeeper(leafid_servers::Server::url, super::Keys::wipe, true),
    connected_etcd Etcd(leafid_servers::Server::url, super::Keys::wipe, false),
    connected_zookeeper Zookeeper(leafid_servers::Server::url, super::Keys::wipe, false),
);
