//! Tags in one store and worker numbers in another: each verb changes its own, and where one is away
//! the other goes on.

use std::path::Path;
use std::process::Command;

use leafid_servers::{Databases, Etcd, Postgres, Server, for_test};
use serde_json::{Value, json};

use crate::support::{LEAFID, Serving, fails, says, until};
use crate::{REQUEST, SERVE};

fn serve(args: &[&str]) -> Serving {
    let mut command = Command::new(LEAFID);
    Serving::spawn(command.args(SERVE).args(args))
}

fn sqlite(file: &Path) -> String {
    format!("sqlite:{}", file.display())
}

/// An answer that is not late: on a busy machine a database may take too long once.
fn done(what: &str, ask: impl Fn() -> (u16, Value)) -> Value {
    let mut last = None;
    let found = until(|| {
        let (status, body) = ask();
        last = Some(body.clone());
        (status == 200).then_some(body)
    });
    found.unwrap_or_else(|| panic!("{what}: {last:?}"))
}

/// A lease of the tag `orders`.
fn lease(serving: &Serving) -> (u16, Value) {
    serving.lease("orders", &json!({}))
}

/// What an ask is known by, and the window that it was granted.
fn key(owner: &str) -> String {
    let hex: String = owner.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("{hex:0<32}")
}

/// A worker number of the namespace `default`, for another holder each time.
fn acquire(serving: &Serving, owner: &str) -> (u16, Value) {
    let ask = json!({ "request": key(owner), "owner": owner });
    serving.post("/v1/workers/default/acquire", &ask)
}

/// How many worker numbers of `default` were ever handed out by a store.
fn workers(store: &str) -> usize {
    // Below the heads of the columns.
    says(store, &["worker", "list", "default", "--store", store]).lines().skip(1).count()
}

fn has_orders(store: &str) -> bool {
    says(store, &["tag", "list", "--store", store]).contains("orders")
}

/// The id that a first line has for what a store keeps.
fn id_of(first: &str, kept: &str) -> String {
    let line = first.lines().find(|line| line.contains(&format!(" for {kept}, store id ")));
    let line = line.unwrap_or_else(|| panic!("no line for {kept} in\n{first}"));
    line.split("store id ").nth(1).expect("an id")[..32].to_owned()
}

/// `tags` is made and served for tags, and `workers` for worker numbers, which runs on `engine`:
/// where that goes, tags are leased, and comes back.
fn each_has_its_own<S: Server>(engine: &mut S, tags: &str, workers_store: &str) {
    let both = ["--tags", tags, "--workers", workers_store];
    let mut serving = serve(&[&both[..], &["--create"]].concat());
    assert!(serving.first.contains("created "), "{}", serving.first);
    // A busy machine may have it wait for the engine first.
    let ready = serving.ready(200, &["\"status\":\"ok\",\"tags\""]);
    let workers_id = ready["workers"]["store"].as_str().expect("an id").to_owned();
    let ids = [id_of(&serving.first, "tags"), workers_id];
    assert_ne!(ids[0], ids[1]);
    says(&serving.url, &["tag", "create", "orders", "--step", "10"]);

    // Each grant names its own store, which is all that a holder compares.
    let grant = done("a lease", || lease(&serving));
    assert_eq!(grant["store"], json!(ids[0]));
    let window = done("a window", || acquire(&serving, "one"));
    assert_eq!(window["store"], json!(ids[1]));
    let renewed = done("a renewal", || {
        let ask = json!({ "request": REQUEST, "store": window["store"], "worker": window["worker"],
                          "key": key("one"), "have_until": window["end"] });
        serving.post("/v1/workers/default/renew", &ask)
    });
    assert_eq!(renewed["store"], json!(ids[1]));
    // The server's own generators draw from both.
    done("numbers", || serving.post("/v1/segments/orders/ids", &json!({ "count": 3 })));
    done("stamps", || serving.post("/v1/snowflake/default/ids", &json!({ "count": 3 })));
    // A holder that asks the wrong one would be told.
    let wrong = json!({ "request": REQUEST, "store": ids[1], "have_until": "1" });
    let (status, refused) = serving.patient("/v1/segments/orders/lease", &wrong);
    assert_eq!((status, &refused["code"]), (409, &json!("STORE_CHANGED")), "{refused}");

    let ready = serving.ready(200, &["\"status\":\"ok\",\"tags\""]);
    assert_eq!((&ready["status"], &ready["store"]), (&json!("ok"), &Value::Null));
    assert_eq!(
        (&ready["tags"]["store"], &ready["workers"]["store"]),
        (&json!(ids[0]), &json!(ids[1]))
    );
    let healthy = says(&serving.url, &["health"]);
    assert!(healthy.starts_with("ok: ") && ids.iter().all(|id| healthy.contains(id)), "{healthy}");

    engine.crash();
    let ready = serving.ready(200, &["degraded"]);
    assert_eq!(ready["tags"]["status"], "ok", "{ready}");
    assert_eq!(ready["workers"]["status"], "unavailable", "{ready}");
    assert_eq!(ready["workers"]["code"], "STORE_UNAVAILABLE", "{ready}");
    let told = says(&serving.url, &["health"]);
    assert!(
        told.starts_with("degraded: no worker numbers are granted: STORE_UNAVAILABLE"),
        "{told}"
    );
    done("a lease while the other store is away", || lease(&serving));
    let (status, refused) = acquire(&serving, "two");
    assert_eq!((status, &refused["code"]), (503, &json!("STORE_UNAVAILABLE")), "{refused}");

    engine.start_again().expect("it comes back");
    let ready = serving.ready(200, &["\"status\":\"ok\",\"tags\""]);
    assert_eq!(ready["status"], "ok", "{ready}");
    done("a window after that", || acquire(&serving, "two"));
    assert_eq!(serving.end("-TERM").0, Some(0));

    // What lies where.
    assert_eq!((has_orders(tags), workers(tags)), (true, 0));
    assert_eq!((has_orders(workers_store), workers(workers_store) >= 2), (false, true));

    // The ids are expected of each.
    let right = format!("tags={},workers={}", ids[0], ids[1]);
    let mut serving = serve(&[&both[..], &["--expect-store", &right]].concat());
    assert_eq!(serving.end("-TERM").0, Some(0));
    let swapped = format!("workers={}", ids[0]);
    let args = [&SERVE[..], &both, &["--expect-store", &swapped]].concat();
    let refused = fails("", &args, 1);
    assert!(refused.contains("STORE_CHANGED") && refused.contains("worker numbers: "), "{refused}");

    // The stores are swapped: nothing is refused, and the operator is told what is wrong.
    let swapped = serve(&["--tags", workers_store, "--workers", tags]);
    swapped.logs(&["WARN", "the store of --tags has granted worker numbers itself"]);
    swapped.logs(&["WARN", "the store of --workers has tags", "tags=1"]);
}

#[test]
fn tags_in_a_file_and_worker_numbers_in_postgres() {
    let Some(mut server) = for_test::<Postgres>() else { return };
    let folder = tempfile::tempdir().unwrap();
    let database = server.make_database("workers").expect("a database");
    each_has_its_own(&mut server, &sqlite(&folder.path().join("tags.db")), &database);
}

#[test]
fn tags_in_a_file_and_worker_numbers_in_etcd() {
    let Some(mut server) = for_test::<Etcd>() else { return };
    let folder = tempfile::tempdir().unwrap();
    let url = server.url();
    each_has_its_own(&mut server, &sqlite(&folder.path().join("tags.db")), &url);
}

/// The tags' database is down when the server starts, and both are down later.
#[test]
fn a_store_of_two_is_waited_for() {
    let Some(mut server) = for_test::<Postgres>() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (url, file) = (server.url(), folder.path().join("workers.db"));
    let journal = folder.path().join("journal");
    std::fs::create_dir(&journal).unwrap();
    says(&url, &["init"]);
    server.stop().expect("it ends");
    // The one that is not named by itself is that of --store.
    let workers_store = sqlite(&file);
    let names = ["--tags", &url, "--store", &workers_store, "--create", "--journal"];
    let mut serving = serve(&[&names[..], &[journal.to_str().unwrap()]].concat());
    assert!(serving.first.contains("leafid: waiting for "), "{}", serving.first);
    id_of(&serving.first, "worker numbers");
    let ready = serving.ready(200, &["degraded"]);
    assert_eq!(ready["tags"]["status"], "unavailable", "{ready}");
    assert!(ready["tags"]["detail"].as_str().unwrap().contains("cannot be reached"), "{ready}");
    done("a window", || acquire(&serving, "one"));
    // With both away nothing can be had.
    std::fs::remove_file(&file).unwrap();
    let told = serving.ready(503, &["tags: STORE_UNAVAILABLE", "worker numbers: STORE_REFUSED"]);
    assert_eq!(told["status"], 503, "{told}");
    server.start_again().expect("it comes back");
    serving.ready(200, &["degraded", "\"tags\":{\"generation\"", "STORE_REFUSED"]);
    says(&serving.url, &["tag", "create", "orders"]);
    done("a lease", || lease(&serving));
    let (code, rest) = serving.end("-TERM");
    assert_eq!(code, Some(0));
    id_of(&rest, "tags");
    // Each store has its own journal.
    let journals = std::fs::read_dir(&journal).unwrap().count();
    assert!(journals >= 2, "{journals}");
}
