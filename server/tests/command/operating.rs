//! The verbs of an operator: worker numbers, backups, health.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Home, LEAFID, call, does, fails, has, mode, play, says, served, set_mode};

const KEY: &str = "00112233445566778899aabbccddeeff";

#[test]
fn worker_numbers_are_listed_and_taken_from_their_holders() {
    let home = Home::new();
    let serving = home.serve(&[]);
    let url = serving.url.as_str();
    says(url, &["namespace", "create", "edge", "--workers", "0..2000", "--layout", "edge"]);
    let key = |n: u64| format!("{n:032x}");
    let acquire = |n: u64| {
        let ask = json!({ "request": key(n), "owner": format!("host-{n}") });
        served(serving.post("/v1/workers/edge/acquire", &ask))
    };
    let renew = |grant: &Value| {
        let ask = json!({ "request": KEY, "store": grant["store"], "worker": 0, "key": key(0),
                          "have_until": grant["end"] });
        serving.post("/v1/workers/edge/renew", &ask)
    };
    let first = served(renew(&acquire(0)));
    acquire(1);
    let list = || says(url, &["worker", "list", "edge"]);
    let line = |n: usize| list().lines().nth(1 + n).expect("a line for it").to_owned();
    has(&line(0), &["0 yes ", "host-0"]);
    play(url, "worker release edge 0 => worker 0 of namespace `edge` is released & ends at 20");
    has(&line(0), &["0 no "]);
    has(&line(1), &["1 yes ", "host-1"]);
    assert_eq!(renew(&first).1["code"], "LEASE_LOST");
    let script = "worker release edge 1999 => never handed out
                  worker release edge 2000 =1 WORKER_INVALID & 0..2000
                  worker list egde =1 NAMESPACE_UNKNOWN & `egde`
                  worker release edge first =2 invalid value 'first'";
    play(url, script);
}

/// The API answers with a thousand rows at most, also where a row's key is a number.
#[test]
fn lists_are_read_page_by_page() {
    let home = Home::with_store();
    let tags: String = (0..1_002).map(|n| format!("[tags.t{n}]\n")).collect();
    says(&home.store, &["apply", &home.write("tags.toml", &tags)]);
    assert_eq!(says(&home.store, &["tag", "list"]).lines().count(), 1 + 1_002);
    let leaf = home.write("workerID.properties", "workerID=3");
    let import = ["worker", "import", "leafs", "--leave", "1024", "--leaf-local", &leaf];
    says(&home.store, &[&import[..], &["--owner", "10.0.0.1:8080"]].concat());
    let list = says(&home.store, &["worker", "list", "leafs", "--json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list["workers"].as_array().map(Vec::len), Some(1_024));
}

#[test]
fn a_backup_of_a_store_in_use_is_whole() {
    let home = Home::new();
    let at = |name: &str| home.at(name);
    let (store, copy, plain) = (home.store.clone(), at("copy.db"), at("plain.db"));
    let mut serving = home.serve(&[]);
    says(&serving.url, &["tag", "create", "orders", "--step", "10"]);
    let told = std::thread::scope(|scope| {
        let leases = scope.spawn(|| {
            for n in 0..200_u64 {
                let ask = json!({ "request": format!("{n:032x}") });
                let path = "/v1/segments/orders/lease";
                assert_eq!(call(&serving.url, "POST", path, &ask).0, 200);
            }
        });
        for n in 0..10 {
            says(&store, &["backup", &at(&format!("during-{n}.db"))]);
        }
        leases.join().unwrap();
        std::fs::copy(&store, &plain).unwrap();
        says(&store, &["backup", &format!("sqlite:{copy}")])
    });
    let id = serving.get("/readyz").1["store"].as_str().unwrap().to_owned();
    has(&told, &[&id, ": 1 tag, 1 namespace", "do not serve the copy"]);
    assert!(says(&store, &["backup", "--help"]).contains("leafid repair"));

    // The backup has the last lease, and what the server reserved beyond it. The control, a plain copy of the
    // file, has not: the last grants are in the write-ahead log beside it.
    let next = |file: &str| {
        let open = rusqlite::Connection::open(file).unwrap();
        let read = "SELECT max_id FROM tags WHERE tag = 'orders'";
        open.query_row(read, [], |row| row.get::<_, i64>(0)).unwrap_or(0)
    };
    assert!(next(&copy) >= 2_001, "{}", next(&copy));
    assert!(next(&plain) < 2_001, "the control: {}", next(&plain));
    let mut last = 1;
    for n in 0..10 {
        let stands_at = next(&at(&format!("during-{n}.db")));
        assert!(stands_at >= last, "{stands_at} after {last}");
        last = stands_at;
    }
    says(&copy, &["repair", "--without-journal"]);
    assert!(says(&copy, &["tag", "list"]).contains("orders"), "it is a store");
    serving.end("-TERM");
}

#[test]
fn a_backup_overwrites_nothing_and_leaves_nothing_half_done() {
    let home = Home::with_store();
    let at = |name: &str| home.at(name);
    let store = home.store.clone();
    home.write("notes", "mine");
    for to in [&store, &at("notes")] {
        has(&fails(&store, &["backup", to], 1), &["STORE_REFUSED", to.as_str()]);
    }
    assert_eq!(std::fs::read_to_string(at("notes")).unwrap(), "mine");
    for (from, to, word) in [
        (&store, at("no/such/folder.db"), "cannot write"),
        (&at("other.db"), at("copy.db"), "does not exist"),
        (&at("notes"), at("copy.db"), "not a leafid store"),
        (&"http://127.0.0.1:9".to_owned(), at("copy.db"), "leafid backup TO --store sqlite:PATH"),
        (&store, "redis://x".to_owned(), "sqlite:PATH"),
    ] {
        has(&fails(from, &["backup", &to], 1), &[word]);
    }
    let mut files: Vec<_> = std::fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["notes", "store.db"]);
    // A copy has the store's file mode: it contains the keys of leases, too.
    set_mode(&store, 0o600);
    says(&store, &["backup", &at("copy.db")]);
    assert_eq!(mode(at("copy.db")), 0o600);
}

#[test]
fn health_is_an_exit_code_with_a_reason() {
    let home = Home::new();
    let mut serving = home.serve(&[]);
    let url = serving.url.clone();
    let id = serving.get("/readyz").1["store"].as_str().unwrap().to_owned();
    assert_eq!(says(&url, &["health"]), format!("ok: store id {id}\n"));
    assert_eq!(says("a.db", &["health", "--url", &url]), format!("ok: store id {id}\n"));
    // Run beside the server, with the server's environment variables.
    let mut command = Command::new(LEAFID);
    command.arg("health").env("LEAFID_STORE", &home.store);
    command.env("LEAFID_LISTEN", url.strip_prefix("http://").unwrap());
    does(&mut command);

    let other = rusqlite::Connection::open(&home.store).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    has(&fails(&url, &["health"], 1), &["STORE_UNAVAILABLE", "locked"]);
    other.execute_batch("ROLLBACK").unwrap();

    serving.end("-TERM");
    has(&fails(&url, &["health"], 1), &["STORE_UNAVAILABLE", &url]);
    has(&fails("a.db", &["health", "--url", "here"], 2), &["`--url` takes http://HOST:PORT"]);
}
