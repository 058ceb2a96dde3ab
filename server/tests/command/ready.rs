//! `/readyz` is 200 only while leases can be granted, and an operator is told when a store lost something.

use std::path::Path;

use leafid_store::clock::{Clock, SystemClock};
use serde_json::{Value, json};

use crate::support::{
    Home, LEAFID, REQUEST, Serving, fails, has, number, refusal, says, serve, served, set_mode,
    try_output,
};

fn lease(serving: &Serving, more: Value) -> (u16, Value) {
    serving.lease("orders", &more)
}

/// File modes do not bind root, so the server runs as another user then.
#[test]
fn a_file_that_may_not_be_written_is_refused_at_the_start() {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;

    let home = Home::with_store();
    // The file, and the folder, where SQLite creates its log.
    for (of_file, of_folder) in [(0o444, 0o777), (0o666, 0o555)] {
        set_mode(&home.store, of_file);
        set_mode(home.path(), of_folder);
        let mut command = serve(&home.store, &["--no-journal"]);
        if std::fs::metadata(home.path()).unwrap().uid() == 0 {
            command.uid(65_534);
        }
        let output = match try_output(&mut command) {
            Ok(output) => output,
            Err(error) => {
                let why = format!("it cannot start `{LEAFID}`: {error}");
                return leafid_servers::not_run("another user", &why);
            }
        };
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("FORBIDDEN: this user cannot write `/"), "{said}");
    }
    set_mode(home.path(), 0o700);
}

/// The number alone rests: `vectors/registry.json` says for how long.
#[test]
fn a_worker_number_of_which_a_holder_has_more_stops_nothing_and_is_logged_without_its_key() {
    let mut serving = Serving::fresh();
    let ask = json!({ "request": REQUEST, "owner": "o" });
    let (_, grant) = serving.post("/v1/workers/default/acquire", &ask);
    let end = number(&grant["end"]);
    let proof = json!({ "request": REQUEST, "store": grant["store"], "worker": 0, "key": REQUEST,
                        "have_until": (end + 5).to_string() });
    let told = serving.post("/v1/workers/default/renew", &proof);
    refusal(told, 409, "STORE_WENT_BACK");
    let (have, stands) = (format!("have_until={}", end + 5), format!("reserved_until={end}"));
    serving.logs(&["STORE_WENT_BACK", "namespace=default", "worker=0", &have, &stands]);
    assert_eq!(serving.ready(200, &["\"ok\""])["went_back"], json!([]));
    serving.end("-TERM");
    assert!(!serving.log().contains(REQUEST), "it is the key of a lease: {}", serving.log());
}

/// The holder's claim may be wrong, so only an operator moves the tag.
#[test]
fn a_tag_of_which_a_holder_has_more_is_refused_to_all_until_an_operator_moves_it() {
    let home = Home::new();
    let mut serving = home.serve(&[]);
    for tag in ["orders", "users"] {
        says(&serving.url, &["tag", "create", tag]);
    }
    // The proof drops the numbers that the server has in hand: they were leased from the row that went back.
    let drawn = |serving: &Serving| serving.post("/v1/segments/orders/ids", &json!({ "count": 1 }));
    served(drawn(&serving));
    let refused = |serving: &Serving, stands: &str| {
        let refused = refusal(lease(serving, json!({})), 500, "STORE_REFUSED");
        let detail = refused["detail"].as_str().unwrap();
        let (at, way) = (format!("stands at {stands}, "), "leafid tag advance orders --to N;");
        has(detail, &[&at, "up to 777001", way]);
        refusal(drawn(serving), 500, "STORE_REFUSED");
        assert_eq!(serving.lease("users", &json!({})).0, 200, "others go on");
        let tag = json!({ "tag": "orders", "max_id": stands, "claimed_until": "777001" });
        assert_eq!(serving.ready(200, &["degraded"])["went_back"], json!([tag]));
    };
    let lost = lease(&serving, json!({ "have_until": "777001" }));
    let id = refusal(lost, 409, "STORE_WENT_BACK")["request_id"].clone();
    refused(&serving, "1001");
    let told = format!("ERROR request{{request_id={}}}: STORE_WENT_BACK", id.as_str().unwrap());
    serving.logs(&[&told, "tag=orders have_until=777001", "max_id=1001"]);
    // A claim that is known is not logged again, and no log line advises advancing to the claim.
    for have_until in ["777001", "2000"] {
        assert_eq!(lease(&serving, json!({ "have_until": have_until })).0, 409);
    }
    assert_eq!(serving.end("-TERM").0, Some(0));
    let told = serving.log().matches("STORE_WENT_BACK: a holder").count();
    assert_eq!(told, 1, "{}", serving.log());
    assert!(!serving.log().contains("--to 7"), "{}", serving.log());
    let serving = home.serve(&[]);
    refused(&serving, "1001");
    says(&serving.url, &["tag", "set", "orders", "--step", "500"]);
    refused(&serving, "1001");

    let advance = |to: &str| says(&serving.url, &["tag", "advance", "orders", "--to", to]);
    advance("5000");
    let (status, grant) = lease(&serving, json!({}));
    assert_eq!((status, &grant["start"]), (200, &json!("5000")), "the operator's word: {grant}");
    assert_eq!(serving.ready(200, &["\"ok\""])["went_back"], json!([]));
    serving.logs(&["audit: advance tag `orders`", "\"claimed_until\":\"777001\""]);

    // Advancing to the present position is enough: the operator declares the claim false.
    assert_eq!(lease(&serving, json!({ "have_until": "777001" })).0, 409);
    refused(&serving, "5500");
    advance("5500");
    assert_eq!(lease(&serving, json!({})).1["start"], "5500");
}

type Take = fn(&Path);

/// Removes the file, or puts another one in its place, while the server runs.
fn the_file_goes(take: Take, what: &str) {
    let home = Home::new();
    let mut serving = home.serve(&[]);
    says(&serving.url, &["tag", "create", "orders"]);
    assert_eq!(lease(&serving, json!({})).0, 200);
    take(home.store.as_ref());
    // The server notices without a request.
    serving.logs(&["ERROR", "STORE_REFUSED", what, "init --replaces-lost", "store.db-shm`"]);
    // A copy that is served would grant again what is in use.
    serving.logs(&[what, "a copy or a backup cannot take its place"]);
    assert!(!serving.log().contains("from a backup"), "{}", serving.log());
    serving.ready(503, &["STORE_REFUSED", what]);
    refusal(lease(&serving, json!({})), 500, "STORE_REFUSED");
    let ask = json!({ "request": REQUEST, "owner": "o" });
    assert_eq!(serving.post("/v1/workers/default/acquire", &ask).1["code"], "STORE_REFUSED");
    assert_eq!(serving.end("-TERM").0, Some(0));
    assert_eq!(serving.log().matches(what).count(), 1 + failed_requests(&serving), "said once");
}

fn failed_requests(serving: &Serving) -> usize {
    serving.log().lines().filter(|line| line.contains("request failed")).count()
}

fn log_of(file: &Path) -> std::path::PathBuf {
    std::path::PathBuf::from(format!("{}-wal", file.display()))
}

/// The write-ahead log beside the file holds the last grants, under the name that SQLite opened.
#[test]
fn a_file_or_log_that_is_removed_moved_or_replaced_ends_grants() {
    use std::fs::{copy, remove_file, rename};
    let takes: [(Take, &str); 5] = [
        (|file| remove_file(file).unwrap(), "was removed or moved"),
        (|file| rename(file, file.with_extension("moved")).unwrap(), "was removed or moved"),
        (
            |file| {
                let other = file.with_extension("other");
                says(other.to_str().unwrap(), &["init"]);
                rename(other, file).unwrap();
            },
            "was replaced by another file",
        ),
        (|file| remove_file(log_of(file)).unwrap(), "store.db-wal` was removed or moved"),
        (
            |file| {
                let (log, other) = (log_of(file), file.with_extension("other"));
                copy(&log, &other).unwrap();
                rename(other, log).unwrap();
            },
            "store.db-wal` was replaced by another file",
        ),
    ];
    takes.into_iter().for_each(|(take, what)| the_file_goes(take, what));
}

/// An orderly end writes the removed log's content into the file, as the log line promises, and the file
/// that was moved away is complete then, too. It may be another copy, so only a new start accepts it.
#[test]
fn what_was_granted_is_in_the_file_after_an_orderly_end() {
    let removed: Take = |file| std::fs::remove_file(log_of(file)).unwrap();
    let moved: Take = |file| std::fs::rename(file, file.with_extension("moved")).unwrap();
    let put_back: Take = |file| std::fs::rename(file.with_extension("moved"), file).unwrap();
    for (take, put_back) in [(removed, None), (moved, Some(put_back))] {
        let home = Home::with_store();
        let (link, file) = (home.at("link.db"), Path::new(&home.store));
        std::os::unix::fs::symlink(file, &link).unwrap();
        let mut serving = Serving::of(&link, &[]);
        says(&serving.url, &["tag", "create", "orders"]);
        assert_eq!(lease(&serving, json!({ "step": 10 })).1["end"], "11");
        take(file);
        serving.ready(503, &["STORE_REFUSED"]);
        put_back.inspect(|put_back| put_back(file));
        serving.ready(503, &["STORE_REFUSED"]);
        assert_eq!(serving.end("-TERM").0, Some(0));
        let serving = Serving::of(&link, &[]);
        assert_eq!(lease(&serving, json!({})).1["start"], "11");
    }
}

/// A server that once started ten years ahead recorded that time for good.
#[test]
fn a_store_from_the_future_starts_only_when_told_that_the_clock_is_right() {
    let home = Home::with_store();
    let store = &home.store;
    says(store, &["next", "--namespace", "default"]);
    let future = "UPDATE workers SET granted_ms = granted_ms + 3650 * 86400000";
    rusqlite::Connection::open(&home.store).unwrap().execute_batch(future).unwrap();
    has(
        &fails(store, &["serve", "--listen", "127.0.0.1:0"], 1),
        &["STORE_REFUSED", "--believe-clock"],
    );
    let serving = Serving::of(store, &["--believe-clock"]);
    serving.logs(&[" WARN the clock is believed", "lowered=1"]);
    let before = SystemClock.wall().get();
    let now = serving.ready(200, &["\"ok\""])["now_ms"].as_i64().unwrap();
    assert!((now - before).abs() < 60_000, "{now} and {before}");
}
