//! `/readyz` is 200 only while leases can be granted, and an operator is told when a store lost something.

use std::path::Path;

use leafid_store::clock::{Clock, SystemClock};
use serde_json::{Value, json};

use crate::support::{
    Home, LEAFID, REQUEST, Serving, fails, has, refusal, says, serve, try_output,
};

fn lease(serving: &Serving, more: Value) -> (u16, Value) {
    serving.lease("orders", &more)
}

/// File modes do not bind root, so the server runs as another user then.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_is_refused_at_the_start() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    let mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let home = Home::with_store();
    // The file, and the folder, where SQLite creates its log.
    for (of_file, of_folder) in [(0o444, 0o777), (0o666, 0o555)] {
        mode(home.store.as_ref(), of_file);
        mode(home.path(), of_folder);
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
    mode(home.path(), 0o700);
}

/// The holder stops and the store goes on: the number is not granted before all its windows may be over.
#[test]
fn a_worker_number_of_which_a_holder_has_more_rests_and_stops_nothing() {
    let mut serving = Serving::fresh();
    let store = serving.ready(200, &["\"ok\""])["store"].clone();
    let ask = json!({ "request": REQUEST, "owner": "o" });
    let (_, grant) = serving.post("/v1/workers/default/acquire", &ask);
    let end: u64 = grant["end"].as_str().unwrap().parse().unwrap();
    let renew = |worker: u32, have_until: u64| {
        let ask = json!({ "request": REQUEST, "store": store, "worker": worker, "key": REQUEST,
                          "have_until": have_until.to_string() });
        let (status, told) = serving.post("/v1/workers/default/renew", &ask);
        (status, told["code"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(renew(0, end + 5), (409, "STORE_WENT_BACK".to_owned()));
    let (have, stands) = (format!("have_until={}", end + 5), format!("reserved_until={end}"));
    serving.logs(&["STORE_WENT_BACK", "namespace=default", "worker=0", &have, &stands]);
    assert_eq!(renew(0, end), (409, "LEASE_LOST".to_owned()), "it is nobody's now");
    assert_eq!(renew(7, end), (409, "LEASE_LOST".to_owned()), "a number without a row");
    let (_, rests) = serving.get("/v1/workers/default?limit=1");
    let until = rests["workers"][0]["reserved_until"].as_str().unwrap().parse::<u64>().unwrap();
    // The longest window, ten minutes, instead of the minute that was granted, plus five seconds.
    assert!((end + 545_000..end + 605_000).contains(&until), "{rests}");
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
    let refused = |serving: &Serving, stands: &str| {
        let refused = refusal(lease(serving, json!({})), 500, "STORE_REFUSED");
        let detail = refused["detail"].as_str().unwrap();
        let (at, way) = (format!("stands at {stands}, "), "leafid tag advance orders --to N;");
        has(detail, &[&at, "up to 777001", way]);
        let ids = serving.post("/v1/segments/orders/ids", &json!({ "count": 1 }));
        assert_ne!(ids.0, 200, "{}", ids.1);
        assert_eq!(serving.lease("users", &json!({})).0, 200, "others go on");
        let tag = json!({ "tag": "orders", "max_id": stands, "claimed_until": "777001" });
        assert_eq!(serving.ready(200, &["degraded"])["went_back"], json!([tag]));
    };
    let lost = lease(&serving, json!({ "have_until": "777001" }));
    let id = refusal(lost, 409, "STORE_WENT_BACK")["request_id"].clone();
    refused(&serving, "1");
    let told = format!("ERROR request{{request_id={}}}: STORE_WENT_BACK", id.as_str().unwrap());
    serving.logs(&[&told, "tag=orders have_until=777001", "max_id=1"]);
    // A claim that is known is not logged again, and no log line advises advancing to the claim.
    for have_until in ["777001", "2000"] {
        assert_eq!(lease(&serving, json!({ "have_until": have_until })).0, 409);
    }
    assert_eq!(serving.end("-TERM").0, Some(0));
    let told = serving.log().matches("STORE_WENT_BACK: a holder").count();
    assert_eq!(told, 1, "{}", serving.log());
    assert!(!serving.log().contains("--to 7"), "{}", serving.log());
    let serving = home.serve(&[]);
    refused(&serving, "1");
    says(&serving.url, &["tag", "set", "orders", "--step", "500"]);
    refused(&serving, "1");

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
#[cfg(unix)]
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

/// An orderly end writes the removed log's content into the file, as the log line promises.
#[cfg(unix)]
#[test]
fn what_a_removed_log_held_is_in_the_file_after_an_orderly_end() {
    let home = Home::with_store();
    let link = home.at("link.db");
    std::os::unix::fs::symlink(&home.store, &link).unwrap();
    let mut serving = Serving::of(&link, &[]);
    says(&serving.url, &["tag", "create", "orders"]);
    assert_eq!(lease(&serving, json!({ "step": 10 })).1["end"], "11");
    std::fs::remove_file(log_of(home.store.as_ref())).unwrap();
    serving.ready(503, &["STORE_REFUSED", "SIGTERM"]);
    assert_eq!(serving.end("-TERM").0, Some(0));
    let serving = Serving::of(&link, &[]);
    assert_eq!(lease(&serving, json!({})).1["start"], "11");
}

/// The file that was moved away is complete once the server has stopped, and goes on where it was.
#[cfg(unix)]
#[test]
fn a_file_that_was_moved_is_put_back_and_goes_on() {
    let home = Home::new();
    let (file, moved) = (&home.store, home.at("moved.db"));
    let mut serving = home.serve(&[]);
    says(&serving.url, &["tag", "create", "orders"]);
    assert_eq!(lease(&serving, json!({ "step": 10 })).1["end"], "11");
    std::fs::rename(file, &moved).unwrap();
    serving.ready(503, &["STORE_REFUSED"]);
    std::fs::rename(&moved, file).unwrap();
    // The file that came back may be another copy, so only a new start accepts it.
    serving.ready(503, &["STORE_REFUSED"]);
    serving.end("-TERM");
    let serving = home.serve(&[]);
    assert_eq!(lease(&serving, json!({})).1["start"], "11");
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
