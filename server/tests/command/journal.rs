//! The journal that every server keeps: its place, its store, and what it forbids.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::machine::{Machine, SERVE};
use crate::restored::{fill, lease, noted, overlaps, request};
use crate::support::{
    Serving, does, fails, has, mode, number, play, refusal, refused, says, served,
};

fn journals(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).expect("a folder").map(|file| file.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|end| end == "journal")).collect()
}

fn next(serving: &Serving, tag: &str) -> (u16, Value) {
    serving.lease(tag, &json!({}))
}

#[test]
fn every_server_keeps_one_where_its_machine_keeps_state() {
    let machine = Machine::new();
    let mut serving = machine.serve(&[]);
    let granted = lease(&serving, 3);
    noted(&machine.state(), &granted);
    let told = serving.ready(200, &["\"ok\""]);
    assert_eq!((&told["journal"], &told["journal_apart"]), (&json!("written"), &json!(false)));
    let since = told["journal_since_ms"].as_i64().expect("a time");
    assert_eq!(mode(machine.state()), 0o700);
    serving.kill();
    let mut again = machine.serve(&[]);
    again.logs(&["INFO", "the store is compared with its journal"]);
    let told = again.ready(200, &["\"ok\""]);
    assert_eq!(told["journal_since_ms"], json!(since), "it runs since the first start");
    assert_eq!(overlaps(&granted, &lease(&again, 3)), 0);
    again.kill();
    // A systemd unit's folder, the first of several, comes before a user's.
    let [unit, other] = [machine.at("unit"), machine.at("other")];
    let both = std::env::join_paths([&unit, &other]).unwrap();
    let serving = Serving::spawn(machine.command(&SERVE).env("STATE_DIRECTORY", both));
    assert_eq!((journals(&unit).len(), other.exists()), (1, false));
    drop(serving);
    let mut none = machine.serve(&["--no-journal"]);
    none.logs(&["WARN", "no journal is kept, as --no-journal says"]);
    let told = none.ready(200, &["\"ok\""]);
    assert_eq!((&told["journal"], told.get("journal_since_ms")), (&json!("none"), None));
    none.kill();
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_that_names_both_options() {
    let machine = Machine::new();
    // A file is where the folder would be made.
    std::fs::write(machine.at("state"), "").unwrap();
    let mut commands = [machine.command(&SERVE), machine.command(&SERVE)];
    for name in ["HOME", "LOCALAPPDATA"] {
        commands[1].env_remove(name);
    }
    commands[1].env("XDG_STATE_HOME", "");
    for mut command in commands {
        let words = ["STORE_UNAVAILABLE", "--journal DIR", "--no-journal"];
        has(&refused(&mut command, 1), &words);
    }
    drop(machine.serve(&["--no-journal"]));
}

/// Servers stop, orderly or by a kill, and start in turns: nothing is lost, so nothing is fenced.
#[test]
fn servers_of_one_store_keep_one_each_and_no_restart_fences() {
    const RESTARTS: usize = 30;
    let machine = Machine::new();
    let mut servers = [machine.serve(&[]), machine.serve(&[])];
    assert_eq!(journals(&machine.state()).len(), 2);
    machine.back_up();
    let mut before = Vec::new();
    for n in 0..RESTARTS {
        for serving in &servers {
            let granted = lease(serving, 1);
            assert_eq!(overlaps(&before, &granted), 0, "restart {n}");
            before.extend(granted);
        }
        let one = &mut servers[n % 2];
        if n % 3 == 0 {
            assert_eq!(one.end("-TERM").0, Some(0));
        } else {
            one.kill();
        }
        let log = one.log();
        assert!(!log.contains("STORE_WENT_BACK") && !log.contains("fenced"), "{log}");
        *one = machine.serve(&[]);
        assert!(journals(&machine.state()).len() <= 2, "restart {n}");
    }
    println!("{} grants, {RESTARTS} restarts", before.len());
    for serving in &servers {
        assert_eq!(serving.ready(200, &["\"ok\""])["generation"], json!(0));
    }
    // The control: of a store that went back the next server takes over both journals, and fences.
    servers.iter_mut().for_each(Serving::kill);
    machine.restore();
    let serving = machine.serve(&[]);
    serving.logs(&["STORE_WENT_BACK", "was fenced", "generation=1"]);
    assert_eq!(overlaps(&before, &lease(&serving, 3)), 0);
    assert_eq!(journals(&machine.state()).len(), 1, "those left behind became one");
}

/// The store's file is gone, as when its volume is not mounted.
#[test]
fn no_store_is_made_in_the_place_of_one_that_the_journal_knows() {
    let machine = Machine::new();
    let mut serving = machine.serve(&[]);
    let before = lease(&serving, 40);
    noted(&machine.state(), &before);
    serving.kill();
    assert!(machine.refused(&["init"]).contains("is already a store"));
    machine.serve(&["--create"]).kill();

    machine.lose();
    for words in [&[&SERVE[..], &["--create"]].concat()[..], &["init"]] {
        let told = ["STORE_REFUSED", "tag `", "` up to ", "leafid init --replaces-lost"];
        has(&machine.refused(words), &told);
        assert!(!machine.at("store.db").exists(), "nothing was made");
    }
    let other = format!("sqlite:{}", machine.at("other.db").display());
    machine.says(&["init", "--store", &other]);
    // A new store, made where this journal is not looked for, is not served beside the journal.
    does(machine.command(&["init"]).env("XDG_STATE_HOME", machine.at("elsewhere")));
    has(&machine.refused(&SERVE), &["is not the store that was there before"]);
    machine.lose();

    has(&machine.says(&["init", "--replaces-lost"]), &["the journal knew 2 tags"]);
    let mut serving = machine.serve(&[]);
    fill(&serving.url);
    play(&serving.url, "tag create late =1 needs `from`");
    let after = lease(&serving, 40);
    assert_eq!(overlaps(&before, &after), 0);
    println!("{} grants before, {} after", before.len(), after.len());
    serving.kill();

    // The control: with the journal out of the way the same numbers are granted again.
    machine.lose();
    let away = machine.at("away");
    std::fs::rename(machine.state(), &away).unwrap();
    let serving = machine.serve(&["--create"]);
    fill(&serving.url);
    assert!(overlaps(&before, &lease(&serving, 40)) > 50);
}

/// Grants that no journal recorded would be granted again by a restored store.
#[test]
fn a_journal_that_fails_for_a_second_stops_grants_until_it_can_be_written() {
    let machine = Machine::new();
    let serving = machine.serve(&[]);
    let acquire = || {
        let ask = json!({ "request": request(), "owner": "o" });
        serving.post("/v1/workers/default/acquire", &ask)
    };
    served(acquire());
    std::fs::rename(machine.state(), machine.at("away")).unwrap();
    let refused = refusal(acquire(), 503, "STORE_UNAVAILABLE");
    has(&refused["detail"].to_string(), &["the journal `", "--journal DIR"]);
    serving.ready(503, &["the journal `", "cannot be written"]);
    serving.logs(&["ERROR", "the journal cannot be written"]);
    std::fs::rename(machine.at("away"), machine.state()).unwrap();
    serving.ready(200, &["\"ok\"", "\"written\""]);
    serving.logs(&["INFO", "the journal is written again"]);
    served(acquire());
    assert_eq!(next(&serving, "orders").0, 200);
}

#[test]
fn an_advance_stands_in_the_journal_when_it_is_answered() {
    const TO: u64 = 50_000_001;
    let machine = Machine::new();
    machine.back_up();
    let mut serving = machine.serve(&[]);
    noted(&machine.state(), &lease(&serving, 1));
    let to = json!({ "to": TO.to_string() });
    served(serving.post("/v1/tags/orders/advance", &to));
    serving.kill();
    machine.restore();
    let mut serving = machine.serve(&[]);
    let (status, grant) = next(&serving, "orders");
    assert_eq!((status, number(&grant["start"])), (200, TO), "{grant}");

    // Where it cannot be recorded, the answer is that the advance may have been done.
    std::fs::rename(machine.state(), machine.at("away")).unwrap();
    let to = json!({ "to": (2 * TO).to_string() });
    let refused = refusal(serving.post("/v1/tags/orders/advance", &to), 503, "STORE_UNAVAILABLE");
    assert!(refused["detail"].to_string().contains("a change may have been made"), "{refused}");
    serving.kill();
}

/// A staging store, made from a copy of production.
#[test]
fn a_copy_with_an_id_of_its_own_lives_beside_its_original() {
    let machine = Machine::new();
    let copy = format!("sqlite:{}", machine.at("copy.db").display());
    let original = machine.serve(&[]);
    let granted = lease(&original, 3);
    noted(&machine.state(), &granted);
    says(&machine.store, &["backup", &copy]);
    lease(&original, 3);
    play(&machine.store, "repair --new-id =1 stop every server that serves it");
    play(&copy, "repair --new-id => another store from now on");
    let staging = Serving::spawn(machine.command(&SERVE).env("LEAFID_STORE", &copy));
    let (ours, theirs) = (original.ready(200, &["ok"]), staging.ready(200, &["ok"]));
    assert_ne!(ours["store"], theirs["store"]);
    assert_eq!((&ours["generation"], &theirs["generation"]), (&json!(0), &json!(0)));
    // A holder of the original that asks the copy by mistake.
    let elsewhere = staging.lease("orders", &json!({ "store": ours["store"] }));
    refusal(elsewhere, 409, "STORE_CHANGED");
    assert_eq!(next(&staging, "orders").0, 200);
    assert_eq!(original.ready(200, &["ok"])["generation"], json!(0), "it is not fenced either");
    fails(&copy, &["repair", "--new-id", "--without-journal"], 2);
}

#[test]
fn a_repair_goes_above_the_rows_of_a_table() {
    let machine = Machine::new();
    let table = machine.at("shop.db");
    let rows = "CREATE TABLE orders (id INTEGER); INSERT INTO orders VALUES (7), (700000)";
    rusqlite::Connection::open(&table).unwrap().execute_batch(rows).unwrap();
    let table = format!("sqlite:{}", table.display());
    let query = "SELECT max(id) FROM orders";
    let above = |tag: &str| format!("--from-max '{tag}={query}'");
    let repair =
        format!("repair --without-journal --in {table} {} {}", above("orders"), above("gone"));
    play(&machine.store, &format!("{repair} => tags raised: 3"));
    let listed = says(&machine.store, &["tag", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let stands = |tag: &str| {
        let row = listed["tags"].as_array().unwrap().iter().find(|row| row["tag"] == *tag);
        row.map(|row| row["max_id"].clone())
    };
    assert_eq!(stands("orders"), Some(json!("702001")), "100 x 20 above 700,001");
    assert_eq!(stands("users"), Some(json!("2001")));
    // A tag that only the journal knows goes on above its old numbers when it is created.
    says(&machine.store, &["tag", "create", "gone"]);
    let next = says(&machine.store, &["next", "gone"]);
    assert!(next.trim().parse::<u64>().unwrap() > 700_000, "{next}");
    play(&machine.store, &format!("repair --without-journal --from-max '{query}' =2 TAG=SQL"));
}

/// A command that works on the store itself waits until the server has noted what it writes.
#[test]
fn a_command_is_refused_while_a_server_of_the_store_is_down_that_was_not_stopped() {
    let machine = Machine::new();
    let mut serving = machine.serve(&[]);
    lease(&serving, 1);
    says(&machine.store, &["tag", "create", "one"]);
    assert_eq!(next(&serving, "one").0, 200);
    serving.kill();
    has(&machine.refused(&["tag", "create", "two"]), &["STORE_UNAVAILABLE", "have not noted"]);
    let mut serving = machine.serve(&[]);
    // It has taken up its record.
    serving.ready(200, &["\"ok\""]);
    assert_eq!(serving.end("-TERM").0, Some(0));
    says(&machine.store, &["tag", "create", "three"]);
}

/// Each server has a journal of its own, and one of them does not come back at first.
#[test]
fn after_a_restore_nothing_is_granted_before_every_server_is_back() {
    let machine = Machine::new();
    let folders = ["a", "b"].map(|name| {
        std::fs::create_dir(machine.at(name)).unwrap();
        machine.at(name).display().to_string()
    });
    let serve = |folder: &str| machine.serve(&["--journal", folder]);
    let mut servers = [&folders[0], &folders[1]].map(|folder| serve(folder));
    machine.back_up();
    let before: Vec<_> = servers.iter().flat_map(|serving| lease(serving, 4)).collect();
    for (serving, folder) in servers.iter_mut().zip(&folders) {
        serving.kill();
        noted(folder.as_ref(), &before);
    }
    machine.restore();
    let first = serve(&folders[0]);
    let refused = refusal(next(&first, "orders"), 503, "STORE_UNAVAILABLE");
    has(&refused["detail"].to_string(), &["have not noted", "not known here what they granted"]);
    let second = serve(&folders[1]);
    for serving in [&first, &second] {
        assert_eq!(overlaps(&before, &lease(serving, 4)), 0);
    }
}
