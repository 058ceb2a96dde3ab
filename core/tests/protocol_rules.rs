//! Checks that a test, or a seeded bug that a test finds, names each rule of `docs/PROTOCOL.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The numbers that follow a mark in a text.
fn numbers<'t>(text: &'t str, mark: &'t str) -> impl Iterator<Item = u32> + 't {
    text.split(mark).skip(1).filter_map(|rest| {
        rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|number| number.parse().ok())
    })
}

fn named(folder: &Path, rules: &mut BTreeSet<u32>) {
    for entry in fs::read_dir(folder).expect("a folder of tests") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            named(&path, rules);
        } else if path.extension().is_some_and(|end| end == "rs" || end == "txt") {
            let text = fs::read_to_string(&path).expect("a text");
            rules.extend(numbers(&text, concat!("PROTOCOL", " R")));
        }
    }
}

#[test]
fn each_rule_has_a_test_that_breaks_without_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let protocol = fs::read_to_string(root.join("docs/PROTOCOL.md")).expect("the protocol");
    let rules: Vec<u32> = numbers(&protocol, "**R").collect();
    let tests = ["tests/seeded", "core/tests", "store/src/clock", "store/tests", "server/tests"];
    let mut found = BTreeSet::new();
    for folder in tests.into_iter().chain(["tests/e2e", "tests/simulation", "turn/tests"]) {
        named(&root.join(folder), &mut found);
    }
    assert!(rules.len() > 20 && rules.is_sorted(), "{rules:?}");
    assert_eq!(found, BTreeSet::from_iter(rules));
}
