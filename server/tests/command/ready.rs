//! `/readyz` is 200 only where leases can be had, and an operator hears of it when a store lost
//! something.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use leafid_server::clock::{Clock, SystemClock};

use crate::support::{LEAFID, Serving, fails, says, try_output};

const REQUEST: &str = "0123456789abcdef0123456789abcdef";

fn lease(serving: &Serving, more: Value) -> (u16, Value) {
    let mut ask = json!({ "request": REQUEST });
    if let (Value::Object(ask), Value::Object(more)) = (&mut ask, more) {
        ask.extend(more);
    }
    serving.post("/v1/segments/orders/lease", &ask)
}

/// No file of the server may grow beyond its first byte: every write fails, as on a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_not_ready_and_space_makes_it_ready_again() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("store.db").display());
    // A write beyond the limit is an error, and does not end the program.
    let script = "trap '' XFSZ; exec \"$0\" serve --create --listen 127.0.0.1:0 --store \"$1\"";
    let mut serving = Serving::spawn(Command::new("sh").args(["-c", script, LEAFID, &store]));
    says(&serving.url, &["tag", "create", "orders"]);
    serving.ready(200, &["\"ok\""]);
    let pid = Pid::from_raw(serving.id() as i32);
    let limit = |current| {
        let limits = Rlimit { current, maximum: None };
        prlimit(pid, Resource::Fsize, limits).expect("the limit of a child of ours can be set");
    };

    limit(Some(1));
    let told = serving.ready(503, &["STORE_UNAVAILABLE", "the store's file failed"]);
    assert_eq!(told["status"], 503, "{told}");
    let (status, refused) = lease(&serving, json!({}));
    assert_eq!((status, &refused["code"]), (503, &json!("STORE_UNAVAILABLE")), "{refused}");
    serving.logs(&["ERROR not committed", "the store's file failed"]);

    limit(None);
    serving.ready(200, &["\"ok\""]);
    let (status, grant) = lease(&serving, json!({}));
    assert_eq!((status, &grant["start"]), (200, &json!("1")), "what failed moved nothing: {grant}");
    serving.logs(&[" INFO committed again"]);
    assert_eq!(serving.end("-TERM").0, Some(0));
}

#[test]
fn a_locked_file_is_not_ready_and_gets_ready_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let serving = Serving::start(&file);
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    serving.ready(503, &["STORE_UNAVAILABLE", "locked"]);
    other.execute_batch("ROLLBACK").unwrap();
    serving.ready(200, &["\"ok\""]);
}

/// Root may write whatever the mode of a file says, so the server runs as somebody else then.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_is_refused_at_the_start() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    let mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let store = format!("sqlite:{}", file.display());
    says(&store, &["init"]);
    // The file, and the folder in which SQLite makes others.
    for (of_file, of_folder) in [(0o444, 0o777), (0o666, 0o555)] {
        mode(&file, of_file);
        mode(folder.path(), of_folder);
        let mut command = Command::new(LEAFID);
        command.args(["serve", "--no-journal", "--store", &store, "--listen", "127.0.0.1:0"]);
        if std::fs::metadata(folder.path()).unwrap().uid() == 0 {
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
    mode(folder.path(), 0o700);
}

#[test]
fn a_worker_that_went_back_degrades_until_its_line_stands_where_the_holders_does() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(&folder.path().join("store.db"));
    let store = serving.ready(200, &["\"ok\""])["store"].clone();
    let ask = json!({ "request": REQUEST, "owner": "o" });
    let (_, grant) = serving.post("/v1/workers/default/acquire", &ask);
    let end: u64 = grant["end"].as_str().unwrap().parse().unwrap();
    let renew = |have_until: u64| {
        let ask = json!({ "request": REQUEST, "store": store, "worker": 0, "key": REQUEST,
                          "have_until": have_until.to_string() });
        serving.post("/v1/workers/default/renew", &ask).0
    };
    assert_eq!(renew(end + 5), 409);
    let told = serving.ready(200, &["degraded"]);
    let worker = json!({ "namespace": "default", "worker": 0, "have_until": (end + 5).to_string(),
                         "reserved_until": end.to_string() });
    assert_eq!(told["went_back"], json!([worker]));
    assert_eq!(renew(end), 200);
    assert_eq!(serving.ready(200, &["\"ok\""])["went_back"], json!([]));
}

/// Leases that carry it past what holders have may have granted what they have.
#[test]
fn a_tag_that_went_back_degrades_until_an_operator_advances_it() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(&folder.path().join("store.db"));
    says(&serving.url, &["tag", "create", "orders"]);
    let went_back = |serving: &Serving| {
        let told = serving.ready(200, &["degraded"])["went_back"].clone();
        assert_eq!(told.as_array().unwrap().len(), 1, "{told}");
        assert_eq!((&told[0]["tag"], &told[0]["have_until"]), (&json!("orders"), &json!("777001")));
        told[0]["max_id"].clone()
    };
    assert_eq!(lease(&serving, json!({ "have_until": "777001" })).0, 409);
    assert_eq!(went_back(&serving), "1");
    serving.logs(&[
        "ERROR request{request_id=",
        "STORE_WENT_BACK",
        "leafid tag advance orders --to 777001",
    ]);

    // Not far enough, by an operator; and far enough, by leases.
    let advance = |to: &str| says(&serving.url, &["tag", "advance", "orders", "--to", to]);
    advance("5000");
    assert_eq!(went_back(&serving), "5000");
    lease(&serving, json!({ "step": 777_001 - 5_000 }));
    lease(&serving, json!({ "step": 999 }));
    assert_eq!(went_back(&serving), "778000");

    // To where it stands will do: the operator has seen it.
    let said = advance("778000");
    assert!(said.contains("tag `orders` advanced: next number 778000"), "{said}");
    assert_eq!(serving.ready(200, &["\"ok\""])["went_back"], json!([]));
    serving.logs(&[" INFO request{request_id=", ": tag `orders` was moved to 778000"]);
    serving.logs(&["audit: advance tag `orders`", "\"max_id\":\"5000\""]);
}

/// The file is taken away, or another one put in its place, while the server runs.
fn the_file_goes(take: impl FnOnce(&Path), what: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let mut serving = Serving::start(&file);
    says(&serving.url, &["tag", "create", "orders"]);
    assert_eq!(lease(&serving, json!({})).0, 200);
    take(&file);
    // Nobody asks for anything: it looks by itself.
    serving.logs(&["ERROR", "STORE_REFUSED", what, "init --replaces-lost", "store.db-shm`"]);
    // A copy that is served again grants what is in use.
    serving.logs(&[what, "a copy or a backup cannot take its place"]);
    assert!(!serving.log().contains("from a backup"), "{}", serving.log());
    serving.ready(503, &["STORE_REFUSED", what]);
    let (status, refused) = lease(&serving, json!({}));
    assert_eq!((status, &refused["code"]), (500, &json!("STORE_REFUSED")), "{refused}");
    let ask = json!({ "request": REQUEST, "owner": "o" });
    assert_eq!(serving.post("/v1/workers/default/acquire", &ask).1["code"], "STORE_REFUSED");
    assert_eq!(serving.end("-TERM").0, Some(0));
    assert_eq!(serving.log().matches(what).count(), 1 + failed_requests(&serving), "said once");
}

/// How many lines tell of requests that were refused for it.
fn failed_requests(serving: &Serving) -> usize {
    serving.log().lines().filter(|line| line.contains("request failed")).count()
}

#[cfg(unix)]
#[test]
fn a_file_that_is_removed_moved_or_replaced_grants_nothing_more() {
    the_file_goes(|file| std::fs::remove_file(file).unwrap(), "was removed or moved");
    the_file_goes(
        |file| std::fs::rename(file, file.with_extension("moved")).unwrap(),
        "was removed or moved",
    );
    the_file_goes(
        |file| {
            let other = file.with_extension("other");
            says(other.to_str().unwrap(), &["init"]);
            std::fs::rename(other, file).unwrap();
        },
        "was replaced by another file",
    );
}

fn log_of(file: &Path) -> std::path::PathBuf {
    std::path::PathBuf::from(format!("{}-wal", file.display()))
}

/// The log holds what was granted last, under whatever name SQLite opened it.
#[cfg(unix)]
#[test]
fn a_log_that_is_removed_moved_or_replaced_grants_nothing_more() {
    let remove = |file: &Path| std::fs::remove_file(log_of(file)).unwrap();
    the_file_goes(remove, "store.db-wal` was removed or moved");
    the_file_goes(
        |file| {
            let (log, other) = (log_of(file), file.with_extension("other"));
            std::fs::copy(&log, &other).unwrap();
            std::fs::rename(other, log).unwrap();
        },
        "store.db-wal` was replaced by another file",
    );
}

/// As the log line says: an orderly end writes what the removed log held into the file.
#[cfg(unix)]
#[test]
fn what_a_removed_log_held_is_in_the_file_after_an_orderly_end() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("store.db"), folder.path().join("link.db"));
    says(file.to_str().unwrap(), &["init"]);
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let mut serving = Serving::start(&link);
    says(&serving.url, &["tag", "create", "orders"]);
    assert_eq!(lease(&serving, json!({ "step": 10 })).1["end"], "11");
    std::fs::remove_file(log_of(&file)).unwrap();
    serving.ready(503, &["STORE_REFUSED", "SIGTERM"]);
    assert_eq!(serving.end("-TERM").0, Some(0));
    let serving = Serving::start(&link);
    assert_eq!(lease(&serving, json!({})).1["start"], "11");
}

/// What was moved away is whole when the server has stopped, and goes on where it stood.
#[cfg(unix)]
#[test]
fn a_file_that_was_moved_is_put_back_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (file, moved) = (folder.path().join("store.db"), folder.path().join("moved.db"));
    let mut serving = Serving::start(&file);
    says(&serving.url, &["tag", "create", "orders"]);
    assert_eq!(lease(&serving, json!({ "step": 10 })).1["end"], "11");
    std::fs::rename(&file, &moved).unwrap();
    serving.ready(503, &["STORE_REFUSED"]);
    std::fs::rename(&moved, &file).unwrap();
    // Also then: what came back may be another copy. Only a start looks at it again.
    serving.ready(503, &["STORE_REFUSED"]);
    serving.end("-TERM");
    let serving = Serving::start(&file);
    assert_eq!(lease(&serving, json!({})).1["start"], "11");
}

/// A server that once started ten years ahead stamped that time for good.
#[test]
fn a_store_from_the_future_starts_only_when_told_that_the_clock_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let store = format!("sqlite:{}", file.display());
    says(&store, &["init"]);
    says(&store, &["next", "--namespace", "default"]);
    let future = "UPDATE workers SET granted_ms = granted_ms + 3650 * 86400000";
    rusqlite::Connection::open(&file).unwrap().execute_batch(future).unwrap();
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let refused = fails(&store, &serve, 1);
    assert!(refused.contains("STORE_REFUSED") && refused.contains("--believe-clock"), "{refused}");
    let spawn = |more: &[&str]| {
        let mut command = Command::new(LEAFID);
        Serving::spawn(command.args(serve).args(["--store", &store]).args(more))
    };
    let mut serving = spawn(&["--believe-clock"]);
    serving.logs(&[" WARN the clock is believed", "lowered=1"]);
    let before = SystemClock.wall().get();
    let now = serving.ready(200, &["\"ok\""])["now_ms"].as_i64().unwrap();
    assert!((now - before).abs() < 60_000, "{now} and {before}");
    serving.end("-TERM");
    let serving = spawn(&[]);
    serving.ready(200, &["\"ok\""]);
    assert!(!serving.log().contains("believed"));
}
