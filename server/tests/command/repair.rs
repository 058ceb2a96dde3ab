//! `leafid repair`: raises a store to what its journals know.

use std::path::Path;

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::restored::{lease, overlaps};
use crate::servers::two;
use crate::support::{fails, has, number, play, says};

fn journals(folder: &Path) -> usize {
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    files.filter(|file| file.path().extension().is_some_and(|end| end == "journal")).count()
}

fn stands(machine: &Machine, tag: &str) -> u64 {
    let file = rusqlite::Connection::open(machine.at("store.db")).expect("a file");
    let read = "SELECT max_id FROM tags WHERE tag = ?1";
    let found = file.query_row(read, [tag], |row| row.get::<_, i64>(0));
    found.expect("a tag").unsigned_abs()
}

fn known(machine: &Machine, folder: &Path, options: &[&str]) -> Value {
    let folder = folder.display().to_string();
    let words = [&["repair", "--journal", &folder, "--json"], options].concat();
    serde_json::from_str(&says(&machine.store, &words)).expect("JSON")
}

#[test]
fn a_store_is_raised_to_its_journal_and_no_further() {
    let machine = Machine::new();
    machine.back_up();
    let mut serving = machine.serve(&[]);
    let before = lease(&serving, 20);
    serving.kill();
    machine.restore();
    let bound = before.iter().filter(|(tag, ..)| tag == "orders").map(|(_, _, end)| *end).max();
    let stood = stands(&machine, "orders");

    let told = known(&machine, &machine.state(), &["--dry-run"]);
    assert_eq!((stands(&machine, "orders"), journals(&machine.state())), (stood, 1), "{told}");
    let row = told["raised"].as_array().unwrap().iter().find(|row| row["tag"] == "orders").unwrap();
    assert_eq!((number(&row["from"]), told.get("generation")), (stood, None), "{told}");
    let to = number(&row["to"]);
    // Numbers in hand of the server that was killed are a gap of seconds of its use.
    assert!(bound.is_some_and(|bound| bound <= to), "{bound:?}: {told}");

    let folder = machine.state().display().to_string();
    let said = says(&machine.store, &["repair", "--journal", &folder]);
    has(&said, &[&format!("tag `orders`: {stood} → {to}\n"), "generation 1", "and removed"]);
    assert_eq!((stands(&machine, "orders"), journals(&machine.state())), (to, 0));
    let serving = machine.serve(&[]);
    assert_eq!(serving.ready(200, &["\"ok\""])["generation"], json!(1));
    assert_eq!(overlaps(&before, &lease(&serving, 5)), 0);

    // A journal that a server uses stays.
    let said = says(&machine.store, &["repair", "--journal", &folder]);
    has(&said, &["stays: a server uses it"]);
    assert_eq!(journals(&machine.state()), 1);
    assert_eq!(overlaps(&before, &lease(&serving, 5)), 0);
}

/// What the servers granted whose journals were not given is not known.
#[test]
fn all_journals_are_wanted_or_the_generous_way() {
    for is_lost in [false, true] {
        let machine = Machine::new();
        let servers = two(&machine);
        let mut before = lease(&servers[0], 10);
        before.extend(lease(&servers[1], 10));
        let [mut first, mut second] = servers;
        first.kill();
        second.kill();
        let [one, two] = ["one", "two"].map(|name| machine.at(name).display().to_string());
        let told = fails(&machine.store, &["repair", "--journal", &one], 1);
        has(&told, &["STORE_REFUSED", "whose journal was not given", "--without-journal"]);
        let stood = stands(&machine, "orders");
        let rest: &[&str] = if is_lost { &["--without-journal"] } else { &["--journal", &two] };
        let words = [&["repair", "--json", "--journal", &one], rest].concat();
        let done: Value = serde_json::from_str(&says(&machine.store, &words)).expect("JSON");
        assert_eq!(done["removed"].as_array().map(Vec::len), Some(2), "{done}");
        let (raised, gap) = (stands(&machine, "orders"), 100 * 20);
        assert!(if is_lost { raised >= stood + gap } else { raised < stood + gap }, "{done}");
        let left = [journals(Path::new(&one)), journals(Path::new(&two))];
        assert_eq!(left, if is_lost { [0, 1] } else { [0, 0] }, "{done}");
        let serving = machine.serve(&[]);
        serving.ready(200, &["\"ok\"", "\"servers\":1"]);
        assert_eq!(overlaps(&before, &lease(&serving, 5)), 0);
    }
}

#[test]
fn tags_are_raised_to_a_number() {
    let machine = Machine::new();
    let script = "
        repair --above 5000 --dry-run => tag `orders`: 1 → 5000 & tag `users`: 1 → 5000 & !fenced
        repair --above 7000 --tag orders => tag `orders`: 1 → 7000 & !users & tags raised: 1
        repair --above 5000 => tag `users`: 1 → 5000 & !orders & tags raised: 1
        repair --above 5000 => nothing is below
        repair --tag orders =2 --above
        repair --above 5 --new-id =2 cannot be used with
        repair --dry-run =2 --journal <DIR>";
    play(&machine.store, script);
    assert_eq!((stands(&machine, "orders"), stands(&machine, "users")), (7_000, 5_000));
}

/// At most 20 raised rows are printed, and how many more there are.
#[test]
fn a_long_list_is_cut() {
    let machine = Machine::new();
    let tags: String = (0..30).map(|n| format!("[tags.t{n}]\n")).collect();
    let file = machine.at("tags.toml");
    std::fs::write(&file, tags).expect("a file");
    says(&machine.store, &["apply", &file.display().to_string()]);
    let said = says(&machine.store, &["repair", "--above", "9", "--dry-run"]);
    assert_eq!(said.lines().filter(|line| line.starts_with("tag ")).count(), 20, "{said}");
    has(&said, &["and 12 more"]);
}
