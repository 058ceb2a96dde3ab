//! A store's file that goes back to an earlier state: with a journal nothing is granted twice; without
//! one numbers are, until a holder proves it.

use serde_json::json;

use crate::machine::Machine;
use crate::restored::{goes_back, holds_more, lease, noted, overlaps};
use crate::support::{REQUEST, has, play, refusal, says, until};

/// A copy is put back, or the write-ahead log is removed, which after a kill holds the last grants.
#[test]
fn a_journal_notices_a_restored_backup_and_a_removed_log() {
    for (is_backup, journal) in [(true, true), (true, false), (false, true), (false, false)] {
        let machine = Machine::new();
        let save = || {
            if is_backup {
                machine.back_up()
            }
        };
        let lose = || {
            if is_backup {
                return machine.restore();
            }
            let log = machine.at("store.db-wal");
            assert!(std::fs::metadata(&log).expect("a log").len() > 0);
            std::fs::remove_file(log).expect("a log");
        };
        let folder = machine.at("journal");
        std::fs::create_dir(&folder).expect("a folder");
        let kept = journal.then_some(folder.as_path());
        let (twice, log) = goes_back(&machine.store, kept, save, lose);
        if journal {
            assert_eq!(twice, 0, "{log}");
            has(
                &log,
                &["STORE_WENT_BACK", "the store is not as this server left it", "generation=1"],
            );
        } else {
            assert!(twice > 20, "the control: {twice}: {log}");
            has(&log, &["no journal is kept"]);
        }
    }
}

/// All rows are put back at once, again and again: each time every line goes on at its bound. Without a
/// journal a server knows what it wrote itself.
#[test]
fn a_store_that_goes_back_under_a_server_goes_on_where_it_was() {
    for journal in [true, false] {
        let machine = Machine::new();
        let serving = machine.serve(if journal { &[] } else { &["--no-journal"] });
        let mut before = lease(&serving, 1);
        machine.back_up();
        for _ in 0..3 {
            before.extend(lease(&serving, 5));
            let end = before.iter().filter(|(tag, ..)| tag == "orders").map(|(.., end)| *end).max();
            machine.restore_rows();
            let after = lease(&serving, 5);
            assert_eq!(overlaps(&before, &after), 0);
            if journal {
                // What was in hand is given up, and nothing beyond.
                let (_, first, _) = after.iter().find(|(tag, ..)| tag == "orders").unwrap();
                assert!(
                    (end.unwrap()..=noted(&machine.state(), &before)["orders"]).contains(first)
                );
            }
            serving.logs(&["ERROR", "STORE_WENT_BACK", "was fenced", "generation=1"]);
            let told = serving.ready(200, &["\"ok\"", "\"generation\":1"]);
            assert_eq!(told["went_back"], json!([]));
            before.extend(after);
        }
        assert_eq!(serving.log().matches("was fenced").count(), 3, "{}", serving.log());
    }
}

/// A fence moves the tag by its own gap only: a claim beyond that keeps the tag refused.
#[test]
fn a_repair_settles_what_a_holder_has_shown_as_far_as_it_moves_the_tag() {
    let machine = Machine::new();
    let serving = machine.serve(&["--no-journal"]);
    for (tag, have_until) in [("orders", "1500"), ("users", "9000")] {
        assert_eq!(serving.lease(tag, &json!({ "have_until": have_until })).0, 409);
    }
    let stopped = |tag: &str, max_id: &str, claimed: &str| json!({ "tag": tag, "max_id": max_id, "claimed_until": claimed });
    let both = [stopped("orders", "1", "1500"), stopped("users", "1", "9000")];
    serving.ready(200, &["degraded", "9000"]);
    assert_eq!(serving.get("/readyz").1["went_back"], json!(both));
    says(&machine.store, &["repair", "--without-journal"]);
    let (status, grant) = serving.lease("orders", &json!({ "have_until": "1500" }));
    assert_eq!((status, &grant["start"]), (200, &json!("2001")), "100 x 20 above: {grant}");
    assert_eq!(serving.lease("users", &json!({})).1["code"], "STORE_REFUSED");
    let one = [stopped("users", "2001", "9000")];
    let settled = || (serving.get("/readyz").1["went_back"] == json!(one)).then_some(());
    assert!(until(settled).is_some(), "{}", serving.get("/readyz").1);
}

/// Without a journal nothing is granted twice from a holder's first proof on.
#[test]
fn without_a_journal_a_holders_proof_stops_its_tag() {
    let machine = Machine::new();
    holds_more(&machine.store, || machine.back_up(), || machine.restore());
}

/// A row that no program of ours wrote is refused to its own callers only.
#[test]
fn a_row_that_cannot_be_read_harms_nobody_else() {
    let machine = Machine::new();
    let serving = machine.serve(&["--no-journal"]);
    machine.write("UPDATE tags SET step = -5 WHERE tag = 'users'");
    for _ in 0..3 {
        let (_, refused) = serving.lease("users", &json!({}));
        assert_eq!(refused["code"], json!("SCHEMA_MISMATCH"), "{refused}");
        assert!(refused["detail"].to_string().contains("tag `users`"), "{refused}");
        assert_eq!(serving.lease("orders", &json!({})).0, 200);
        assert_eq!(serving.get("/readyz").0, 200);
    }
    // Nor does it keep the other tags from being moved.
    play(&machine.store, "repair --without-journal => tags raised: 1");
}

/// The refusal of a window names the fence as its reason, and not that all numbers are taken.
#[test]
fn a_fence_says_until_when_no_window_begins_and_wants_first_numbers() {
    let machine = Machine::new();
    let mut serving = machine.serve(&["--no-journal"]);
    let before = serving.ready(200, &["\"ok\""]);
    assert_eq!((&before["generation"], before.get("fenced_until_ms")), (&json!(0), None));
    play(&machine.store, "repair =2 --journal <DIR>");
    let nowhere = "serve --listen 127.0.0.1:0 --journal /nowhere/at/all =1 /nowhere/at/all";
    play(&machine.store, nowhere);
    says(&machine.store, &["repair", "--without-journal"]);
    let first = "tag create late =1 needs `from`
                 tag create late --from 7 => next number 7";
    play(&machine.store, first);
    let ask = json!({ "request": REQUEST, "owner": "host-1" });
    let refused = serving.post("/v1/workers/default/acquire", &ask);
    let refused = refusal(refused, 503, "WORKERS_EXHAUSTED");
    has(&refused["detail"].to_string(), &["the store was fenced"]);
    assert_eq!(serving.end("-TERM").0, Some(0));
    let serving = machine.serve(&["--no-journal"]);
    let told = serving.ready(200, &["fenced_until_ms"]);
    // The repair removed the server that ran meanwhile; if that noticed before it ended, it made sure once more.
    assert!(told["generation"] == 1 || told["generation"] == 2, "{told}");
    assert_eq!(told["status"], json!("ok"));
    let said = says(&machine.store, &["health", "--url", &serving.url]);
    has(&said, &["fenced, as it had lost grants: no window begins before 20"]);
}

/// Restoring the store also restores its fence's mark.
#[test]
fn a_copy_that_is_put_back_twice_is_fenced_twice() {
    let machine = Machine::new();
    machine.back_up();
    let mut before = Vec::new();
    for time in 0..3 {
        let mut serving = machine.serve(&[]);
        if time > 0 {
            serving.logs(&["ERROR", "was fenced", "generation=1"]);
        }
        let granted = lease(&serving, 3);
        assert_eq!(overlaps(&before, &granted), 0, "{time}");
        before.extend(granted);
        noted(&machine.state(), &before);
        assert_eq!(serving.end("-TERM").0, Some(0));
        machine.restore();
    }
}
